// The form that checks a configuration and creates a connector of it, typed or pasted.
import * as api from './api.js';
import {aside, button, el, heading, input, section, setText} from './dom.js';
import {link, plural} from './format.js';

const FIELDS = [
  ['name', 'Name', 'of the connector'],
  ['topic.prefix', 'Topic prefix', 'every topic begins with it'],
  ['database.hostname', 'Host', 'of PostgreSQL'],
  ['database.port', 'Port', 'default 5432'],
  ['database.dbname', 'Database', 'its name'],
  ['database.user', 'User', 'a role that may replicate'],
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

// Of what Kafka Connect, Debezium and walduct say of one property: once, without the names of Java.
export function plainErrors(errors) {
  const plain = errors.map((text) => text.replace(/^property '[^']*': /, '').replace(/^Invalid value (.*) for configuration \S+: /s,
    (_, value) => (value === 'null' || value === '' ? '' : `“${value}” is not taken: `)).replace(/^The '[^']*' value is invalid: /, '')
    .replace(/^(Missing required configuration.*|A value is required|is required.*)$/s, 'is needed'));
  return plain.includes('is needed') ? ['is needed'] : [...new Set(plain)];
}

export class FormPage {
  constructor(settings) {
    this.inputs = new Map();
    this.paste = el('textarea', {id: 'paste', spellcheck: 'false', 'aria-describedby': 'pasted'});
    this.pasted = el('p', {id: 'pasted', role: 'status', class: 'message'});
    this.paste.addEventListener('input', () => this.read());
    this.more = el('textarea', {id: 'more', spellcheck: 'false', class: 'code'});
    this.answer = el('div', {role: 'status'});
    this.check = el('button', {type: 'submit', class: !settings.write && 'main'}, 'Validate');
    this.make = settings.write && button('Create', () => this.run(() => this.create()), 'main');
    this.form = el('form', {autocomplete: 'off', novalidate: true, class: 'card'}, ...FIELDS.map((field) => this.field(...field)),
      el('label', {class: 'wide', for: 'more'}, 'More properties',
        aside('a line each: name=value'), this.more),
      el('div', {class: 'row wide'}, this.check, this.make,
        !settings.write && aside('read-only: nothing is created')),
      el('div', {class: 'wide'}, this.answer));
    this.root = section(heading(settings.write ? 'New connector' : 'Validate a configuration'),
      el('div', {class: 'two'}, el('div', {class: 'card'}, el('label', {for: 'paste'}, 'Paste a configuration',
        aside('Kafka Connect’s JSON, Strimzi’s KafkaConnector, or name=value lines: it fills the form'), this.paste), this.pasted),
      this.form));
    this.form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.run(() => this.validate());
    });
  }

  show() {}

  field(name, title, hint) {
    const id = `field-${name}`;
    const typed = input(id, {name, type: name.endsWith('password') ? 'password' : 'text', 'aria-describedby': `${id}-fault`});
    this.inputs.set(name, typed);
    return el('div', {}, el('label', {for: id}, title, aside(hint)), typed, el('span', {id: `${id}-fault`, class: 'fault'}));
  }

  // What the process reads of it replaces what stands in the form.
  async read() {
    const text = this.paste.value;
    if (text.trim() === '') {
      setText(this.pasted, '');
      return;
    }
    this.pasted.className = 'message';
    try {
      const {properties, warnings} = await api.read(text);
      // It was changed meanwhile.
      if (text !== this.paste.value) return;
      const config = new Map(properties);
      for (const [name, input] of this.inputs) input.value = config.get(name) ?? '';
      this.more.value = properties.filter(([name]) => !this.inputs.has(name)).map((pair) => pair.join('=')).join('\n');
      setText(this.pasted, [`${plural(properties.length, 'property').replace('ys', 'ies')} read into the form.`, ...warnings].join('\n'));
      this.mark([]);
    } catch (error) {
      this.pasted.className = 'message fault';
      setText(this.pasted, error.message);
    }
  }

  config() {
    const config = parseLines(this.more.value);
    for (const [name, input] of this.inputs) if (input.value.trim() !== '') config[name] = input.value.trim();
    return config;
  }

  async run(work) {
    this.enable(false);
    this.tell('', 'Asking…');
    try {
      await work();
    } catch (error) {
      this.tell('bad', el('p', {class: 'message'}, error.message));
    }
    this.enable(true);
  }

  enable(may) {
    for (const one of [this.check, this.make]) if (one) one.disabled = !may;
  }

  tell(kind, ...parts) {
    this.answer.className = `card ${kind}`;
    this.answer.replaceChildren(...parts);
  }

  // Each fault where its field is.
  mark(found) {
    for (const [name, input] of this.inputs) {
      const own = found.find((value) => value.name === name);
      setText(input.nextSibling, own ? own.errors.join(' ') : '');
      input.setAttribute('aria-invalid', Boolean(own));
    }
  }

  // Whether nothing was found. What has a field is said there, and nowhere else.
  async validate() {
    const result = await api.validate(this.config());
    const found = result.configs.filter(({value}) => value.errors.length > 0)
      .map(({value}) => ({name: value.name, errors: plainErrors(value.errors)}));
    this.mark(found);
    if (found.length === 0) {
      this.tell('', el('p', {}, 'Nothing is wrong with this configuration.'));
      return true;
    }
    const others = found.filter(({name}) => !this.inputs.has(name));
    this.tell('bad', el('p', {}, `${found.length === 1 ? '1 property is' : `${found.length} properties are`} wrong.`),
      others.length > 0 ? el('ul', {}, ...others.map(({name, errors}) => el('li', {}, el('code', {}, name), `: ${errors.join(' ')}`))) : '');
    this.inputs.get(found.find(({name}) => this.inputs.has(name))?.name)?.focus();
    return false;
  }

  async create() {
    if (!(await this.validate())) return;
    const config = this.config();
    await api.create(config.name ?? '', config);
    location.hash = link('connector', config.name);
  }
}
