/** Addresses that are not on the public internet, with what each is. */
const PRIVATE_V4: readonly (readonly [string, string])[] = [
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['0.0.0.0', 'this host'],
  ['0.1.2.3', 'this network'],
  ['10.0.0.1', 'private'],
  ['10.255.255.255', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.0.1', 'private'],
  ['192.168.255.255', 'private'],
  ['169.254.169.254', 'metadata'],
  ['169.254.0.1', 'link-local'],
  ['100.64.0.1', 'carrier NAT'],
  ['100.100.100.200', 'metadata'],
  ['100.127.255.255', 'carrier NAT'],
  ['192.0.0.192', 'metadata'],
  ['192.0.2.1', 'documentation'],
  ['198.51.100.7', 'documentation'],
  ['203.0.113.9', 'documentation'],
  ['192.88.99.1', '6to4 relay'],
  ['198.18.0.1', 'benchmarking'],
  ['198.19.255.255', 'benchmarking'],
  ['168.63.129.16', 'metadata'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.250', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
];

const PRIVATE_V6 = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  '0000:0000:0000:0000:0000:0000:0000:0001',
  '::7f00:1',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  'fe80::1',
  'febf:ffff::1',
  'fec0::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff:ffff:ffff::1',
  'ff02::1',
  'ff0e::101',
  '100::1',
  '100:0:0:1::1',
  '64:ff9b:1::7f00:1',
  '64:ff9b:1:ffff::1',
  '2001::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '2001:2::1',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2001:0db8:85a3::8a2e:370:7334',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2002:808:808::1',
  '3fff::1',
  '3fff:fff:ffff::1',
  '5f00::1',
  '4000::1',
  '8000::1',
  'e000::1',
  'fe00::1',
  '2a00:1450::5efe:10.0.0.1',
  '2a00:1450::200:5efe:7f00:1',
  '2a00:1450:0:0:0:5efe:c0a8:1',
];

const FULL_WIDTH = '０１２３４５６７８９';
const CIRCLED = '⓪①②③④⑤⑥⑦⑧⑨';

/** Every way that a URL can write an IPv4 address. */
function formsOf(address: string): string[] {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const digits = (alphabet: string) => address.replace(/\d/g, (digit) => [...alphabet][Number(digit)] ?? '');
  const hex = (value: number) => `0x${value.toString(16)}`;
  const group = (high: number, low: number) => ((high << 8) | low).toString(16);
  const tail = `${group(a, b)}:${group(c, d)}`;
  return [
    address,
    `${address}.`,
    String(number),
    hex(number),
    `0X${number.toString(16).toUpperCase().padStart(8, '0')}`,
    `0${number.toString(8)}`,
    [a, b, c, d].map(hex).join('.'),
    [a, b, c, d].map((part) => `0${part.toString(8)}`).join('.'),
    `${a}.${b}.${(c << 8) | d}`,
    `${a}.${((b << 16) | (c << 8) | d) >>> 0}`,
    `${hex(a)}.${b}.0${c.toString(8)}.${d}`,
    digits(FULL_WIDTH),
    digits(CIRCLED),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '%2e'),
    `[::ffff:${address}]`,
    `[::ffff:${tail}]`,
    `[0:0:0:0:0:FFFF:${tail}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b::${tail}]`,
    `[::${address}]`,
    `[2002:${tail}::1]`,
  ];
}

/** URLs of targets that only this machine or its network reaches, or none. */
export function refusedUrls(): string[] {
  const hosts = [
    ...PRIVATE_V4.flatMap(([address]) => formsOf(address)),
    ...PRIVATE_V6.map((address) => `[${address}]`),
    '127.1',
    '127.0.1',
    '0',
    '0x0',
    '00',
    '017700000001',
    '0x7f.1',
    '0x7f000001',
    '0177.1',
  ];
  const dressed = [
    'http://user@127.0.0.1/',
    'http://user:password@10.0.0.1/',
    'http://example.com@127.0.0.1/',
    'http://example.com%40127.0.0.1@127.0.0.1/',
    'http://127.0.0.1:80/',
    'http://127.0.0.1:6379/',
    'http://[::1]:9200/_search',
    'https://127.0.0.1:8443/x?y#z',
    'http://127.0.0.1#@example.com/',
    'http://127.0.0.1?@example.com/',
    'http:\\\\127.0.0.1\\x',
    'http:127.0.0.1',
    'http:////127.0.0.1/',
    'http://127.0.0.1\\@example.com/',
    ' http://127.0.0.1 ',
    'ht\ntp://127.0.0.1/',
    'http://12\t7.0.0.1/',
    'HTTP://127.0.0.1/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://127.0.0.1:11211/',
    'data:text/plain,x',
    'javascript:0',
    'unix:/var/run/docker.sock',
    'http://user@example.com/',
    'http://:secret@example.com/',
    'http://[fe80::1%25eth0]/',
    'http://[fe80::1%eth0]/',
    'http://[::ffff:127.0.0.1',
    'http://1.2.3.4.5/',
    'http://256.1.1.1/',
    'http://0x100000000/',
    'http://example.com:99999/',
    'http://',
    'https://%00/',
    'http://a b/',
    '//127.0.0.1/',
    '127.0.0.1',
    '',
  ];
  return [...hosts.map((host) => `http://${host}/hook`), ...dressed];
}

/** Names that resolve to this machine or its network, with their addresses. */
export const REFUSED_NAMES: readonly (readonly [host: string, addresses: readonly string[]])[] = [
  ['localhost', ['127.0.0.1']],
  ['localhost.', ['127.0.0.1']],
  ['LOCALHOST', ['::1']],
  ['ＬＯＣＡＬＨＯＳＴ', ['127.0.0.1']],
  ['localhost.localdomain', ['127.0.0.1']],
  ['a.localhost', ['127.0.0.1']],
  ['127.0.0.1.nip.example', ['127.0.0.1']],
  ['metadata.google.internal', ['169.254.169.254']],
  ['intern.example', ['10.1.2.3']],
  ['six.example', ['fd12::1']],
  ['mapped.example', ['::ffff:10.0.0.1']],
  ['mixed.example', ['93.184.215.14', '10.0.0.1']],
  ['mixed-six.example', ['2606:4700::1111', '::1']],
  ['zone.example', ['fe80::1%eth0']],
  ['nat.example', ['64:ff9b::a00:1']],
  ['bücher.example', ['192.168.1.1']],
  ['xn--bcher-kva.example', ['192.168.1.1']],
  ['nothing.example', []],
  ['garbage.example', ['not an address']],
];

/** Public targets that must be permitted. */
export function publicUrls(): string[] {
  const hosts = [
    ...['1.1.1.1', '8.8.8.8', '9.9.9.9', '11.0.0.1', '93.184.215.14', '99.255.255.255', '100.63.255.255'],
    ...['100.128.0.1', '101.0.0.1', '126.255.255.255', '128.0.0.1', '168.63.129.15', '168.63.129.17'],
    ...['169.253.255.255', '169.255.0.1', '172.15.255.255', '172.32.0.1', '191.255.255.255', '192.0.1.1'],
    ...['192.0.3.1', '192.31.196.1', '192.52.193.1', '192.88.98.1', '192.88.100.1', '192.167.255.255'],
    ...['192.169.0.1', '192.175.48.1', '198.17.255.255', '198.20.0.1', '198.51.99.1', '198.51.101.1'],
    ...['203.0.112.1', '203.0.114.1', '223.255.255.255', '3.120.0.1', '13.107.42.14', '20.112.52.29'],
    ...['34.117.59.81', '52.95.110.1', '104.16.132.229', '140.82.121.4', '151.101.1.69', '185.199.108.153'],
    ...['134744072', '0x08080808', '010.8.8.8', '8.525320', '0x1.0x1.0x1.0x1', '１.１.１.１'],
    ...['[2606:4700:4700::1111]', '[2001:4860:4860::8888]', '[2620:fe::fe]', '[2a00:1450:4001:80e::200e]'],
    ...['[2001:200::1]', '[2001:67c:2e8:22::c100:68b]', '[2400:cb00:2048:1::c629:d7a2]', '[2003::1]'],
    ...['[2600:1f18::1]', '[2803:f800:50::6ca2:c0e5]', '[2c0f:f248::1]', '[3ffe::1]', '[2001:db7::1]'],
    ...['[2001:db9::1]', '[::ffff:8.8.8.8]', '[::ffff:808:808]', '[64:ff9b::8.8.8.8]', '[64:ff9b::101:101]'],
    ...['[2a00:1450::5efe:8.8.8.8]', '[2a00:1450::200:5efe:808:808]', '[2620:4f:8000::1]'],
  ];
  const names = [
    'example.com',
    'example.com.',
    'EXAMPLE.COM',
    'hooks.example.com',
    'bücher.example',
    'a-b.example',
  ];
  const dressed = [
    'https://example.com:8443/a?b=c',
    'http://example.com:8080',
    'https://example.com/%2e%2e/x',
  ];
  return [
    ...hosts.map((host) => `https://${host}/hook`),
    ...names.map((host) => `https://${host}/`),
    ...dressed,
    ...hosts.slice(0, 25).map((host) => `http://${host}:8080/hook?x=127.0.0.1`),
  ];
}
