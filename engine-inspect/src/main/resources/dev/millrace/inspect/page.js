/** Draws a model on the page; data is its description. */
function showModel(data) {
  const $ = id => document.getElementById(id);
  const KINDS = {
    product: ['products', /^(Conv|ConvTranspose|ConvInteger|QLinearConv|MatMul.*|QLinearMatMul|Gemm|QGemm|Einsum|LSTM|GRU|RNN|.*Attention.*|Fused(Conv|Gemm|MatMul))$/],
    norm: ['norms and softmax', /(Normalization|Softmax|LRN|LogSoftmax)/],
    activation: ['activations', /^(Relu|LeakyRelu|PRelu|Elu|Selu|Celu|Sigmoid|HardSigmoid|HardSwish|Swish|Tanh|Gelu|FastGelu|QuickGelu|BiasGelu|Erf|Clip|Mish|Soft(plus|sign))$/],
    move: ['moves', /^(Reshape|Transpose|Concat|Split|Slice|Squeeze|Unsqueeze|Flatten|Gather.*|Scatter.*|Expand|Pad|Tile|Identity|Cast.*|Shape|Size|Constant.*|Range|Resize|Upsample|DepthToSpace|SpaceToDepth|Copy)$/],
    control: ['control flow', /^(If|Loop|Scan|SequenceMap)$/],
    math: ['the rest', /./],
  };
  const kind = op => Object.keys(KINDS).find(name => KINDS[name][1].test(op.replace(/^.*[.:]/, '')));

  // ---- what is drawn: leaves in groups

  /** The most children that a group shows side by side, and how many a part of more of them has. */
  const MOST_TOGETHER = 300, PART = 60;

  const leaves = [];
  const micros = new Map();
  (data.kernels || []).forEach(k => { if (k.node) micros.set(k.node, { us: (micros.get(k.node)?.us || 0) + k.micros, kernel: k.kernel }); });

  const group = (name, parent, extra) => ({ name, parent, children: [], open: false, ...extra });
  const leaf = (parent, what) => {
    const made = { parent, order: leaves.length, ...what };
    parent.children.push(made);
    leaves.push(made);
    return made;
  };

  /** Fills a group with a graph; outer tells who makes the values around it. Gives [maker, reader] pairs. */
  function fill(root, graph, outer, pairs) {
    const makers = new Map();
    const maker = name => makers.get(name) || outer(name);
    const scopes = new Map([['', root]]);
    const scope = parts => {
      const path = parts.join('/');
      if (!scopes.has(path)) {
        const parent = scope(parts.slice(0, -1));
        const made = group(parts[parts.length - 1], parent);
        parent.children.push(made);
        scopes.set(path, made);
      }
      return scopes.get(path);
    };
    // what a Constant gives is shown where it is read, as initializers are
    const constants = new Set(graph.constants);
    const nodes = graph.nodes.filter(node => node.op !== 'Constant');
    graph.nodes.filter(node => node.op === 'Constant').forEach(node => node.out.forEach(name => constants.add(name)));
    graph.inputs.filter(name => !constants.has(name)).forEach(name => makers.set(name,
      leaf(root, { name, label: name, type: 'value', op: 'input', outputs: [name], inputs: [], graph })));
    nodes.forEach(node => {
      const parts = node.name.split('/').filter(Boolean);
      const own = parts.pop() || node.op;
      const time = micros.get(node.name) || node.out.map(name => micros.get(name)).find(Boolean);
      const about = { name: node.name, label: node.op.replace(/^.*[.:]/, ''), own, op: node.op, type: kind(node.op),
        inputs: node.in, outputs: node.out, attributes: node.attributes, graph, time, constants };
      let item;
      if (node.graphs) {
        const parent = scope(parts);
        item = group(about.label + ' ' + own, parent, { ...about, control: true });
        parent.children.push(item);
        leaves.push(item);
        item.order = leaves.length;
      } else {
        item = leaf(scope(parts), about);
      }
      node.in.filter(Boolean).forEach(name => { const from = maker(name); if (from) pairs.push([from, item]); });
      node.out.filter(Boolean).forEach(name => makers.set(name, item));
      Object.entries(node.graphs || {}).forEach(([name, inner]) => {
        const body = group(name, item);
        item.children.push(body);
        fill(body, inner, maker, pairs);
      });
    });
    graph.outputs.forEach(([name, value]) => {
      const out = leaf(root, { name, label: name, type: 'value', op: 'output', inputs: [value], outputs: [], graph });
      const from = maker(value);
      if (from) pairs.push([from, out]);
    });
  }

  /** A group of one is that one; groups that are alike stand under one name. */
  function tidy(item) {
    if (!item.children) return item;
    item.children = item.children.map(tidy);
    item.children.forEach(child => { child.parent = item; });
    if (item.parent && !item.control && item.children.length === 1) {
      const only = item.children[0];
      if (only.children && !only.control) only.name = item.name + '/' + only.name;
      return only;
    }
    item.nodes = item.children.reduce((sum, child) => sum + (child.children ? child.nodes : 1), 0);
    item.us = item.children.reduce((sum, child) => sum + (child.children ? child.us : child.time?.us || 0), 0) + (item.control ? item.time?.us || 0 : 0);
    item.order = Math.min(item.order ?? Infinity, ...item.children.map(child => child.order));
    item.sign = item.children.map(child => child.children ? '(' + child.sign + ')' : child.op).join(' ');
    const alike = new Map();
    item.children.filter(child => child.children && !child.control).forEach(child => {
      const key = child.name.replace(/\d+/g, '#') + ' ' + child.sign;
      alike.set(key, [...(alike.get(key) || []), child]);
    });
    for (const members of alike.values()) {
      if (members.length < 2 || members.length === item.children.length && members.length <= 8) continue;
      const stack = group(`${members[0].name} … ${members[members.length - 1].name}`, item, { times: members.length, children: members });
      item.children = item.children.filter(child => !members.includes(child));
      item.children.push(stack);
      members.forEach(member => { member.parent = stack; });
      stack.nodes = members.reduce((sum, member) => sum + member.nodes, 0);
      stack.us = members.reduce((sum, member) => sum + member.us, 0);
      stack.order = Math.min(...members.map(member => member.order));
      stack.sign = members[0].sign;
    }
    item.children.sort((a, b) => a.order - b.order);
    if (item.children.length > MOST_TOGETHER) item.children = inParts(item);
    return item;
  }

  /** Puts neighbours among the many children of a group into groups of their own. */
  function inParts(item) {
    const parts = [];
    const size = Math.ceil(item.children.length / Math.ceil(item.children.length / PART));
    for (let at = 0; at < item.children.length; at += size) {
      const children = item.children.slice(at, at + size);
      const part = group(`${at + 1} to ${at + children.length} of ${item.children.length}`, item, { children });
      children.forEach(child => { child.parent = part; });
      part.nodes = children.reduce((sum, child) => sum + (child.children ? child.nodes : 1), 0);
      part.us = children.reduce((sum, child) => sum + (child.children ? child.us : child.time?.us || 0), 0);
      part.order = children[0].order;
      part.sign = 'part';
      parts.push(part);
    }
    return parts;
  }

  const pairs = [];
  const root = group('', null, { open: true });
  fill(root, data.graph, () => null, pairs);
  tidy(root);
  const way = item => { const path = []; for (let at = item; at; at = at.parent) path.unshift(at); return path; };

  // an edge belongs to the innermost group that holds both of its ends
  const links = new Map();
  pairs.forEach(([from, to]) => {
    const a = way(from), b = way(to);
    let i = 0;
    while (i < a.length && i < b.length && a[i] === b[i]) i++;
    if (i >= a.length || i >= b.length) return;
    const holder = a[i - 1];
    if (!links.has(holder)) links.set(holder, new Map());
    links.get(holder).set(a[i].order + '>' + b[i].order, [a[i], b[i]]);
  });

  const count = item => item.open && item.children ? item.children.reduce((sum, child) => sum + count(child), 0) : 1;
  for (let queue = [...root.children]; queue.length && count(root) < 24;) {
    const next = queue.shift();
    if (next.children && next.children.length <= 30) { next.open = true; queue.push(...next.children); }
  }

  // ---- drawing

  const NS = 'http://www.w3.org/2000/svg';
  const canvas = $('canvas');
  const stage = canvas.appendChild(document.createElementNS(NS, 'g'));
  const make = (tag, attributes, into, text) => {
    const made = into.appendChild(document.createElementNS(NS, tag));
    Object.entries(attributes).forEach(([name, value]) => made.setAttribute(name, value));
    if (text !== undefined) made.textContent = text;
    return made;
  };
  const HEADER = 24, PAD = 14;
  const hottest = Math.max(1e-9, ...leaves.map(item => item.time?.us || 0));
  const whole = data.runMicros || 0;
  const time = us => us >= 1000 ? (us / 1000).toFixed(2) + ' ms' : us.toFixed(us < 10 ? 1 : 0) + ' µs';
  const bytes = n => n < 1024 ? n + ' B' : n < 1 << 20 ? (n / 1024).toFixed(1) + ' KiB' : (n / (1 << 20)).toFixed(1) + ' MiB';
  const short = (text, most) => text.length <= most ? text : '…' + text.slice(text.length - most + 1);
  const control = item => item.own === item.op ? item.label : item.label + ' ' + item.own;
  const title = item => item.control ? control(item) : item.children ? item.name + (item.times ? `  ×${item.times}` : '') : item.label;
  const under = item => {
    if (item.children) return `${item.nodes} nodes` + (item.us ? ', ' + time(item.us) : '');
    if (item.type === 'value') return short(item.graph.types[item.outputs[0] || item.inputs[0]] || item.op, 34);
    return short(item.own, 24) + (item.time ? '  ' + time(item.time.us) : '');
  };

  function measure(item) {
    if (item.children && item.open) {
      item.children.forEach(measure);
      const at = new Map(item.children.map((child, i) => [child, i]));
      const drawn = [...(links.get(item) || new Map()).values()];
      item.inside = placeInRows(item.children, drawn.map(([from, to]) => [at.get(from), at.get(to)]));
      item.w = Math.max(item.inside.w, 7 * title(item).length + 20) + 2 * PAD;
      item.h = item.inside.h + HEADER + 2 * PAD;
    } else {
      item.w = Math.max(70, 7.2 * Math.max(title(item).length + (item.children ? 2 : 0), 0.85 * under(item).length) + 22);
      item.h = 40;
    }
  }

  let chosen = null;
  function draw(item, into) {
    const isOpen = item.children && item.open;
    const at = item === root ? into : make('g', { transform: `translate(${item.x},${item.y})` }, into);
    item.element = at;
    if (item !== root) {
      at.setAttribute('class', `box ${item.children ? (isOpen ? 'open' : item.control ? 'control' : 'group') : item.type}${item === chosen ? ' chosen' : ''}`);
      if (item.times && !isOpen) {
        make('rect', { x: 7, y: 7, width: item.w, height: item.h, rx: 7 }, at);
        make('rect', { x: 3.5, y: 3.5, width: item.w, height: item.h, rx: 7 }, at);
      }
      make('rect', { width: item.w, height: item.h, rx: item.type === 'value' && !item.children ? 18 : 7 }, at);
      make('text', { x: 11, y: 17 }, at, (item.children ? (isOpen ? '▾ ' : '▸ ') : '') + title(item));
      if (!isOpen) make('text', { x: 11, y: 32, class: 'small' }, at, under(item));
      const us = item.children ? item.us : item.time?.us;
      if (us && !isOpen) make('rect', { x: 0, y: item.h - 3, width: Math.max(2, item.w * Math.min(1, us / (item.children ? whole || us : hottest))), height: 3, class: 'heat' }, at);
      at.addEventListener('click', event => { event.stopPropagation(); if (!moved) press(item); });
    }
    if (isOpen) {
      const inner = item === root ? at : make('g', { transform: `translate(${(item.w - item.inside.w) / 2},${HEADER + PAD})` }, at);
      item.inside.paths.forEach((points, i) => {
        const [from, to] = item.inside.edges[i];
        const path = make('path', { d: curve(points) }, inner);
        if (item.children[from] === chosen || item.children[to] === chosen) path.setAttribute('class', 'near');
      });
      item.children.forEach(child => draw(child, inner));
    }
  }

  function redraw() {
    stage.textContent = '';
    measure(root);
    draw(root, stage);
  }

  function press(item) {
    chosen = item;
    const before = item.element.getBoundingClientRect();
    if (item.children) item.open = !item.open;
    redraw();
    const after = item.element.getBoundingClientRect();
    view.x += before.left - after.left;
    view.y += before.top - after.top;
    apply();
    describe(item);
  }

  // ---- where one looks

  const view = { x: 0, y: 0, k: 1 };
  const apply = () => stage.setAttribute('transform', `translate(${view.x},${view.y}) scale(${view.k})`);
  function zoom(factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
    const k = Math.min(4, Math.max(0.02, view.k * factor));
    view.x = x - (x - view.x) * k / view.k;
    view.y = y - (y - view.y) * k / view.k;
    view.k = k;
    apply();
  }
  function fit() {
    if (!root.inside) return;
    const w = root.inside.w + 40, h = root.inside.h + 40;
    view.k = Math.min(1.2, Math.max(0.5, Math.min(canvas.clientWidth / w, canvas.clientHeight / h)));
    view.x = (canvas.clientWidth - root.inside.w * view.k) / 2;
    view.y = 20;
    apply();
  }
  let moved = false;
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
  canvas.addEventListener('pointerdown', down => {
    moved = false;
    const start = { x: view.x, y: view.y };
    const move = event => {
      const dx = event.clientX - down.clientX, dy = event.clientY - down.clientY;
      if (!moved && Math.hypot(dx, dy) < 4) return;
      moved = true;
      canvas.classList.add('moving');
      view.x = start.x + dx;
      view.y = start.y + dy;
      apply();
    };
    const up = () => { window.removeEventListener('pointermove', move); window.removeEventListener('pointerup', up); canvas.classList.remove('moving'); };
    window.addEventListener('pointermove', move);
    window.addEventListener('pointerup', up);
  });
  canvas.addEventListener('click', () => { if (!moved) { $('details').hidden = true; chosen = null; redraw(); } });

  function show(item) {
    for (let at = item.parent; at; at = at.parent) at.open = true;
    chosen = item;
    redraw();
    const box = item.element.getBoundingClientRect(), all = canvas.getBoundingClientRect();
    if (view.k < 0.6) zoom(0.9 / view.k);
    const now = item.element.getBoundingClientRect();
    view.x += all.left + all.width / 2 - (now.left + now.width / 2);
    view.y += all.top + all.height / 2 - (now.top + now.height / 2);
    apply();
    describe(item);
  }

  // ---- words

  const element = (tag, into, text, name) => {
    const made = into.appendChild(document.createElement(tag));
    if (text !== undefined) made.textContent = text;
    if (name) made.className = name;
    return made;
  };
  function describe(item) {
    const into = $('details');
    into.textContent = '';
    into.hidden = false;
    element('h2', into, item.children && !item.control ? way(item).map(at => at.name).filter(Boolean).join(' / ') : item.op + '  ' + item.name);
    const list = element('dl', into);
    const entry = (term, text) => { element('dt', list, term); element('dd', list, text); };
    if (item.children) {
      entry('nodes', String(item.nodes));
      if (item.us) entry('time', time(item.us) + (whole ? `, ${(100 * item.us / whole).toFixed(1)} % of a run` : ''));
    }
    if (!item.op) return;
    const value = name => name + (item.graph.types[name] ? ': ' + item.graph.types[name] : '') + (item.constants?.has(name) ? ' (constant)' : '');
    if (item.time) { entry('time', time(item.time.us) + (whole ? `, ${(100 * item.time.us / whole).toFixed(1)} % of a run` : '')); entry('kernel', item.time.kernel); }
    item.inputs.forEach((name, i) => entry('input ' + i, name ? value(name) : 'left out'));
    item.outputs.forEach((name, i) => entry('output ' + i, name ? value(name) : 'left out'));
    Object.entries(item.attributes || {}).forEach(([name, text]) => entry(name, text));
  }

  const TABS = {
    Graph: null,
    Kernels: into => {
      if (!data.kernels?.length) { element('p', into, 'The model was not run.'); return; }
      element('p', into, `A run takes ${time(whole)} while times are taken.`);
      table(into, ['time', 'share', 'calls', 'GFLOP/s', 'GB/s', 'node', 'kernel'], data.kernels.map(k =>
        [time(k.micros), { share: k.micros / whole }, k.calls, k.gigaflops ? k.gigaflops.toFixed(1) : '', k.gigabytesPerSecond.toFixed(1), k.node, k.kernel]));
    },
    Timeline: into => {
      const line = data.timeline;
      if (!line) { element('p', into, 'The model was not run.'); return; }
      element('p', into, `One run, ${time(line.micros)} while times are taken: what the host and each stream of a device did. An arrow is a wait of one stream for another.`);
      timeline(into, line);
    },
    Engine: into => {
      element('h2', into, 'Partitions');
      table(into, ['provider', 'kind', 'nodes', 'name', 'operators'], data.partitions.map(p => [p.provider, p.compiled ? 'compiled' : 'kernels', p.nodes, p.name,
        Object.entries(p.operators).sort((a, b) => b[1] - a[1]).map(([op, n]) => n > 1 ? `${op}×${n}` : op).join(' ')]));
      element('h2', into, 'Optimised');
      element('p', into, data.optimisation);
      element('h2', into, 'Creation');
      table(into, ['phase', 'time'], Object.entries(data.creationMillis).map(([phase, ms]) => [phase, time(ms * 1000)]));
      element('h2', into, 'Memory of a run');
      table(into, ['steps', 'values', 'block', 'without sharing'], data.memory.map(m => [`${m.firstStep} to ${m.endStep - 1}`, m.values, bytes(m.blockBytes), bytes(m.unsharedBytes)]));
      if (data.notes.length) { element('h2', into, 'Notes'); data.notes.forEach(note => element('p', into, note)); }
    },
    Model: into => {
      const facts = [['file', data.file], ['size', bytes(data.bytes)], ['producer', data.producer], ['IR version', data.irVersion],
        ['opsets', Object.entries(data.opsets).map(([domain, n]) => `${domain} ${n}`).join(', ')], ['nodes', data.nodes],
        ['initializers', `${data.initializers}, ${data.parameters.toLocaleString('en')} parameters, ${bytes(data.parameterBytes)}`]];
      table(into, ['', ''], facts.concat(Object.entries(data.metadata)));
      element('h2', into, 'Inputs');
      table(into, ['name', 'type'], data.inputs.map(v => [v.name, v.type + (v.optional ? ', optional' : '')]));
      element('h2', into, 'Outputs');
      table(into, ['name', 'type'], data.outputs.map(v => [v.name, v.type]));
      element('h2', into, 'Operators');
      table(into, ['operator', 'nodes'], Object.entries(data.operators));
    },
  };
  const MOST_ROWS = 1000;
  function table(into, heads, rows) {
    const made = element('table', into);
    const isNumber = value => typeof value === 'number' || /^[\d.,]+( (µs|ms|B|KiB|MiB))?$/.test(value);
    const top = element('tr', made);
    heads.forEach((head, i) => element('th', top, head, rows.length && isNumber(rows[0][i]) ? 'number' : ''));
    rows.slice(0, MOST_ROWS).forEach(row => {
      const line = element('tr', made);
      row.forEach(cell => {
        if (cell && cell.share !== undefined) {
          const at = element('td', line, (100 * cell.share).toFixed(1) + ' %', 'number');
          element('span', at, '', 'bar').style.width = Math.max(1, 100 * cell.share) + '%';
        } else {
          element('td', line, String(cell ?? ''), isNumber(cell) ? 'number' : '');
        }
      });
    });
    if (rows.length > MOST_ROWS) element('p', into, `${rows.length - MOST_ROWS} further rows are not shown.`);
  }
  /** Draws the bars of each row along time, and an arrow from where a stream came to where another one went on. */
  function timeline(into, line) {
    const LEFT = 120, WIDTH = 1400, ROW = 30, TOP = 22;
    const x = micros => LEFT + (WIDTH - LEFT - 10) * Math.min(1, Math.max(0, micros / line.micros));
    const y = row => TOP + ROW * line.rows.indexOf(row);
    const svg = make('svg', { class: 'timeline', viewBox: `0 0 ${WIDTH} ${TOP + ROW * line.rows.length + 6}` }, into);
    const draw = (tag, attributes, text) => make(tag, attributes, svg, text);
    for (let i = 0; i <= 10; i++) {
      draw('line', { x1: x(line.micros * i / 10), x2: x(line.micros * i / 10), y1: TOP - 4, y2: TOP + ROW * line.rows.length, class: 'tick' });
      draw('text', { x: x(line.micros * i / 10), y: 12, class: 'mark', 'text-anchor': i === 10 ? 'end' : 'start' }, time(line.micros * i / 10));
    }
    line.rows.forEach(row => draw('text', { x: 4, y: y(row) + 18, class: 'mark' }, row));
    line.bars.forEach(bar => {
      const width = Math.max(1, x(bar.end) - x(bar.start));
      const at = draw('rect', { x: x(bar.start), y: y(bar.row) + 3, width, height: ROW - 6, rx: 2, fill: `var(--${kind(bar.operator)})` });
      make('title', {}, at, `${bar.operator} ${bar.name}\n${time(bar.start)} to ${time(bar.end)}, ${time(bar.end - bar.start)}`);
      if (width > 60) draw('text', { x: x(bar.start) + 4, y: y(bar.row) + 18 }, bar.operator.slice(0, width / 8));
    });
    line.waits.forEach(wait => {
      const down = line.rows.indexOf(wait.by) > line.rows.indexOf(wait.from);
      const from = [x(wait.reached), y(wait.from) + (down ? ROW - 3 : 3)], to = [x(wait.passed), y(wait.by) + (down ? 3 : ROW - 3)];
      draw('path', { d: `M ${from} L ${to}`, class: 'wait' });
      draw('circle', { cx: to[0], cy: to[1], r: 2.5, class: 'wait' });
    });
  }
  function open(tab) {
    [...$('tabs').children].forEach(button => button.classList.toggle('on', button.textContent === tab));
    const isGraph = TABS[tab] === null;
    $('graph').hidden = !isGraph;
    $('tables').hidden = isGraph;
    $('tables').textContent = '';
    if (isGraph) { redraw(); apply(); } else { $('details').hidden = true; TABS[tab]($('tables')); }
  }
  Object.keys(TABS).forEach(tab => element('button', $('tabs'), tab).addEventListener('click', () => open(tab)));

  // ---- search

  const hits = text => {
    const wanted = text.toLowerCase();
    return leaves.filter(item => [item.name, item.op, ...item.outputs, ...item.inputs].some(word => word.toLowerCase().includes(wanted)));
  };
  function search() {
    const text = $('search').value.trim(), list = $('found');
    list.textContent = '';
    list.hidden = !text;
    if (!text) return [];
    const found = hits(text);
    found.slice(0, 60).forEach(item => {
      const line = element('li', list);
      element('b', line, item.label || item.op);
      line.append(item.name);
      line.addEventListener('click', () => { list.hidden = true; open('Graph'); show(item); });
    });
    if (!found.length) element('li', list, 'nothing found');
    return found;
  }
  $('search').addEventListener('input', search);
  $('search').addEventListener('keydown', event => {
    if (event.key === 'Enter') { const found = search(); if (found.length) { $('found').hidden = true; open('Graph'); show(found[0]); } }
    if (event.key === 'Escape') { $('found').hidden = true; $('search').blur(); }
  });
  document.addEventListener('keydown', event => {
    if (event.key === '/' && document.activeElement !== $('search')) { event.preventDefault(); $('search').focus(); }
  });

  // ---- beginning

  $('in').addEventListener('click', () => zoom(1.3));
  $('out').addEventListener('click', () => zoom(1 / 1.3));
  $('fit').addEventListener('click', fit);
  $('fold').addEventListener('click', () => {
    const fold = item => { if (item.children) { item.open = item === root; item.children.forEach(fold); } };
    fold(root);
    redraw();
    fit();
  });
  $('theme').addEventListener('click', () => document.documentElement.classList.toggle('dark'));
  if (window.matchMedia?.('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark');
  document.title = data.title;
  $('title').textContent = data.title;
  Object.entries(KINDS).concat([['value', ['inputs and outputs']]]).forEach(([name, [text]]) => {
    const at = element('span', $('legend'));
    element('i', at).style.background = `var(--${name})`;
    at.append(text);
  });
  const providers = new Map();
  (data.partitions || []).forEach(({ provider, nodes }) => {
    const [parts, all] = providers.get(provider) || [0, 0];
    providers.set(provider, [parts + 1, all + nodes]);
  });
  providers.forEach(([parts, all], provider) => element('span', $('legend'),
    `${provider}: ${all} ${all === 1 ? 'node' : 'nodes'} in ${parts} ${parts === 1 ? 'partition' : 'partitions'}`, 'provider'));
  if (data.cut) element('span', $('legend'), data.cut, 'cut');
  element('span', $('legend'), `${data.nodes} nodes, ${data.parameters.toLocaleString('en')} parameters` + (whole ? `, a run ${time(whole)}` : ''));
  open('Graph');
  fit();
  // for tests and for links: #node=NAME shows a node, #tab=NAME opens a tab
  const [what, wanted] = decodeURIComponent(location.hash.slice(1)).split(/=(.*)/s);
  if (what === 'node') { const item = leaves.find(each => each.name === wanted); if (item) show(item); }
  if (what === 'tab' && wanted in TABS) open(wanted);
}
