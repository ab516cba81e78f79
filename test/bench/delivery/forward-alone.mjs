/**
 * A plugin of the operator's own kind: the built-in forward plugin, which needs no facet of other plugins.
 * With every built-in plugin off, requests pass it and nothing else.
 */
import { plugin as forward } from '../../../.build/plugins/core-proxy/index.js';

export const plugin = { ...forward, name: 'forward-alone', needs: [] };
