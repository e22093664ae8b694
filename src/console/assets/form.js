// The form that checks a configuration and creates a connector of it.
import * as api from './api.js';
import {el, setText} from './dom.js';

const FIELDS = [
  ['name', 'Name', 'of the connector'],
  ['topic.prefix', 'Topic prefix', 'every topic begins with it'],
  ['database.hostname', 'Host', 'of PostgreSQL'],
  ['database.port', 'Port', 'default 5432'],
  ['database.dbname', 'Database', ''],
  ['database.user', 'User', ''],
  ['database.password', 'Password', 'better ${file:…} or ${env:…}: it is stored as it is typed'],
  ['slot.name', 'Slot', 'default debezium; one for each connector'],
  ['publication.name', 'Publication', 'default dbz_publication'],
  ['table.include.list', 'Tables', 'such as public.orders,public.items; default all'],
];

// `name=value` lines; empty ones and comments do not count.
export function parseLines(text) {
  const config = {};
  text.split('\n').forEach((line, at) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return;
    const equals = trimmed.indexOf('=');
    if (equals < 1) throw new Error(`Line ${at + 1} has no “=”: ${trimmed}`);
    config[trimmed.slice(0, equals).trim()] = trimmed.slice(equals + 1).trim();
  });
  return config;
}

export class FormPage {
  constructor(settings) {
    this.inputs = new Map();
    this.faults = new Map();
    this.more = el('textarea', {id: 'more', spellcheck: 'false'});
    this.answer = el('div', {role: 'status'});
    this.check = el('button', {type: 'submit', class: settings.write ? '' : 'main'}, 'Validate');
    this.make = settings.write ? el('button', {type: 'button', class: 'main'}, 'Create') : null;
    this.form = el('form', {autocomplete: 'off', novalidate: true}, ...FIELDS.map((field) => this.field(...field)),
      el('label', {class: 'wide', for: 'more'}, 'More properties',
        el('span', {class: 'quiet'}, 'a line each: name=value'), this.more),
      el('div', {class: 'row wide'}, this.check, this.make,
        settings.write ? null : el('span', {class: 'quiet'}, 'read-only: nothing is created')),
      el('div', {class: 'wide'}, this.answer));
    this.root = el('section', {'aria-labelledby': 'title'},
      el('h2', {id: 'title'}, settings.write ? 'New connector' : 'Validate a configuration'), this.form);
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.run(() => this.validate());
    });
    this.make?.addEventListener('click', () => this.run(() => this.create()));
  }

  show() {}

  field(name, title, hint) {
    const id = `field-${name}`;
    const input = el('input', {id, name, type: name.endsWith('password') ? 'password' : 'text', autocomplete: 'off',
      spellcheck: 'false', 'aria-describedby': `${id}-fault`});
    const fault = el('span', {id: `${id}-fault`, class: 'fault'});
    this.inputs.set(name, input);
    this.faults.set(name, fault);
    return el('div', {}, el('label', {for: id}, title, el('span', {class: 'quiet'}, hint || name)), input, fault);
  }

  config() {
    const config = parseLines(this.more.value);
    for (const [name, input] of this.inputs) if (input.value.trim() !== '') config[name] = input.value.trim();
    return config;
  }

  async run(work) {
    [this.check, this.make].forEach((button) => { if (button) button.disabled = true; });
    this.answer.className = '';
    this.answer.replaceChildren('Asking…');
    try {
      await work();
    } catch (error) {
      this.tell('bad', el('p', {class: 'message'}, error.message));
    }
    [this.check, this.make].forEach((button) => { if (button) button.disabled = false; });
  }

  tell(kind, ...parts) {
    this.answer.className = `banner ${kind}`;
    this.answer.replaceChildren(...parts);
  }

  // Whether nothing was found.
  async validate() {
    const result = await api.validate(this.config());
    const found = result.configs.map(({value}) => value).filter((value) => value.errors.length > 0);
    for (const [name, input] of this.inputs) {
      const own = found.find((value) => value.name === name);
      setText(this.faults.get(name), own ? own.errors.join(' ') : '');
      input.setAttribute('aria-invalid', own ? 'true' : 'false');
    }
    if (found.length === 0) {
      this.tell('', el('p', {class: 'message'}, 'Nothing is wrong with this configuration.'));
      return true;
    }
    this.tell('bad', el('h3', {}, `${found.length} ${found.length === 1 ? 'property is' : 'properties are'} wrong`),
      el('ul', {}, ...found.map((value) => el('li', {}, el('code', {}, value.name), `: ${value.errors.join(' ')}`))));
    this.inputs.get(found.find((value) => this.inputs.has(value.name))?.name)?.focus();
    return false;
  }

  async create() {
    if (!(await this.validate())) return;
    const config = this.config();
    await api.create(config.name ?? '', config);
    location.hash = `#connector/${encodeURIComponent(config.name)}`;
  }
}
