import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { parse } from 'yaml';
import { defaultFiles } from '../../config/default-files.ts';
import { loadConfig } from '../../config/load-config.ts';
import { outline, settingsOf } from '../../config/outline.ts';
import { settingsSchema } from '../../config/schema.ts';
import { schemasOf } from '../../gateway/cli/configure.ts';
import { plugins } from '../../plugins/registry.ts';

const config = join(import.meta.dirname, '../../config');
const schemas = schemasOf(plugins);
const files = defaultFiles(schemas);

/** The file with every `#` of a setting removed. */
function uncommented(text: string): unknown {
  return parse(text.replaceAll(/^( *)#(?=[A-Za-z])/gm, '$1')) ?? {};
}

describe('the files shipped in config/', () => {
  for (const [path, text] of files) {
    it(`${path} matches the schemas (if not: npm run defaults)`, () => {
      expect(existsSync(join(config, path)), 'is there').to.equal(true);
      expect(readFileSync(join(config, path), 'utf8')).to.equal(text);
    });
  }

  it('exist for existing plugins only', () => {
    const shipped = ['plugins', 'schemas/plugins'].flatMap((folder) =>
      readdirSync(join(config, folder)).map((name) => `${folder}/${name}`),
    );
    expect(shipped.filter((path) => !files.has(path))).to.deep.equal([]);
  });

  it('change nothing when HEADWATER_CONFIG points at them', async () => {
    const shipped = await loadConfig({ folder: config, environment: {} }, schemas);
    expect(shipped.entries.filter(({ origin }) => origin.from !== 'default')).to.deep.equal([]);
  });

  it('have the defaults of the schemas once the comment signs are removed', async () => {
    const { settings, plugins: settingsOfPlugins } = await loadConfig(
      { environment: {}, workingDir: '/' },
      schemas,
    );
    const { adminToken, ...main } = uncommented(files.get('headwater.yaml') ?? '') as Record<string, unknown>;
    expect(adminToken).to.equal(null);
    expect({ ...main, dataDir: '/data' }).to.deep.equal(settings);
    for (const name of Object.keys(schemas)) {
      expect(uncommented(files.get(`plugins/${name}.yaml`) ?? ''), name).to.deep.equal(
        settingsOfPlugins[name],
      );
    }
  });

  it('satisfy the JSON Schemas for editors, as shipped and without comment signs', () => {
    const ajv = addFormats
      .default(new Ajv.default({ strict: false }))
      .addFormat('cidrv4', true)
      .addFormat('cidrv6', true);
    for (const name of ['headwater', ...Object.keys(schemas).map((plugin) => `plugins/${plugin}`)]) {
      const validate = ajv.compile(JSON.parse(files.get(`schemas/${name}.json`) ?? '') as object);
      const text = files.get(`${name}.yaml`) ?? '';
      const whole = uncommented(text) as Record<string, unknown>;
      delete whole['adminToken'];
      expect(validate(parse(text) ?? {}), JSON.stringify(validate.errors)).to.equal(true);
      expect(validate(whole), JSON.stringify(validate.errors)).to.equal(true);
      expect(validate({ zebra: 1 })).to.equal(false);
    }
  });

  it('describe every setting', () => {
    const undescribed = Object.entries({ '': settingsSchema, ...schemas }).flatMap(([name, schema]) =>
      settingsOf(outline(schema))
        .filter(({ path, node }) => path.length > 0 && !node.description)
        .map(({ path }) => `${name} ${path.join('.')}`),
    );
    expect(undescribed).to.deep.equal([]);
  });
});

describe('every setting', () => {
  const ROOT = join(config, '..');
  const source = ['gateway', 'plugins', 'core', 'workers']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((path) => path.endsWith('.ts') && !path.endsWith('schema.ts'))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');

  it('is read outside of its schema', () => {
    const unread = Object.entries({ '': settingsSchema, ...schemas }).flatMap(([name, schema]) =>
      settingsOf(outline(schema))
        .filter(
          ({ path }) => path.length > 0 && !new RegExp(`[.{,']\\s*${path.at(-1)}\\b(?!: z)`).test(source),
        )
        .map(({ path }) => `${name} ${path.join('.')}`),
    );
    expect(unread).to.deep.equal([]);
  });
});
