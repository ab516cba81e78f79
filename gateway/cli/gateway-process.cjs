/** The program of one gateway process of several; their supervisor starts it. */
'use strict';
const { lowerPool } = require('./pool-priority.cjs');
const { isTuned } = require('./relaunch.cjs');

if (isTuned) lowerPool();

import('../../.build/bundle/gateway-process.js').then(({ runGatewayProcess }) => runGatewayProcess());
