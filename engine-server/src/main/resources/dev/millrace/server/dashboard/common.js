'use strict';

const $ = id => document.getElementById(id);

// ---- everything that a server says becomes text, never markup

const make = (name, text, kind) => {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
};
const draw = (name, attributes, text) => {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  if (text !== undefined) made.textContent = text;
  return made;
};
const time = micros => micros == null ? '> 50 s' : micros < 1000 ? micros + ' µs'
  : micros < 1e6 ? +(micros / 1e3).toPrecision(3) + ' ms' : +(micros / 1e6).toPrecision(3) + ' s';
const bytes = count => {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (count >= 1024 && unit < units.length - 1) { count /= 1024; unit++; }
  return +count.toPrecision(3) + ' ' + units[unit];
};

// ---- the server

const root = location.pathname.replace(/\/ui(\/.*)?$/, '/');

/** Asks the server that the page comes from; posts a body if there is one. */
async function ask(path, body) {
  const token = sessionStorage.getItem('token');
  const headers = token ? { Authorization: 'Bearer ' + token } : {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  return fetch(root + path, { method: body === undefined ? 'GET' : 'POST', headers, body: body && JSON.stringify(body) });
}

/** Returns what the server answers to a question, or throws its sentence. */
async function told(path) {
  const answer = await ask(path);
  const tree = await answer.json();
  if (!answer.ok) throw new Error(tree.error);
  return tree;
}

/** Shows whether it is dark or light, as the system does until the button is pressed. */
function offerThemes() {
  $('theme').onclick = () => document.documentElement.classList.toggle('dark');
  document.documentElement.classList.toggle('dark', matchMedia('(prefers-color-scheme: dark)').matches);
}

/** Returns a row of a table; each cell is a text and, if it has one, a class. */
function line(...cells) {
  const made = make('tr');
  made.append(...cells.map(([text, kind]) => make('td', text, kind)));
  return made;
}
