// What a reason means, as docs/reasons.md and `walduct explain` have it.
import * as api from './api.js';
import {command} from './commands.js';
import {card, el, heading, refill, section} from './dom.js';

export class ReasonPage {
  constructor(name) {
    this.name = name;
    this.body = el('div', {class: 'stack'}, el('p', {}, 'Loading…'));
    this.root = section(heading(name), this.body);
  }

  async show() {
    if (this.known) return;
    try {
      const {loses, meaning, remedy} = await api.reason(this.name);
      refill(this.body, [loses && el('p', {class: 'card bad'}, 'Changes may be gone for good.'),
        card('What it means', el('p', {}, meaning)), card('What to do', el('p', {}, remedy)),
        card('On a terminal', command(`walduct explain ${this.name}`))]);
    } catch (error) {
      if (!error.status) throw error;
      this.body.replaceChildren(el('p', {class: 'card'}, error.message));
    }
    this.known = true;
  }
}
