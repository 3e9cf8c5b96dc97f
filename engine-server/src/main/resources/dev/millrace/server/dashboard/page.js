(() => {
  const EVERY = 3000;
  const MOST_ELEMENTS = 1000000;
  const key = model => JSON.stringify([model.name, model.version]);
  let former = null;
  let chosen = null;
  let timer = 0;

  // ---- what the server does

  async function refresh() {
    clearTimeout(timer);
    try {
      const answer = await ask('ui/state');
      $('access').hidden = answer.status !== 401 && answer.status !== 403;
      if (!answer.ok) throw new Error((await answer.json()).error);
      const state = { ...await answer.json(), at: performance.now() };
      show(state);
      former = state;
      if (!$('requests').hidden) await requests.refresh();
    } catch (failure) {
      $('status').textContent = failure.message;
      $('status').className = 'bad';
    }
    clearTimeout(timer);
    if (!document.hidden) timer = setTimeout(refresh, EVERY);
  }

  function show(state) {
    $('status').textContent = `${state.version} · ${state.ready ? 'ready' : 'not ready'} · ${state.threads} threads`;
    $('status').className = state.ready ? '' : 'bad';
    const sum = field => state.models.reduce((all, model) => all + (model[field] || 0), 0);
    const memory = state.memory;
    tiles([
      [new Set(state.models.filter(each => each.state === 'READY').map(each => each.name)).size, 'models ready'],
      [rate(state, state.models), 'answers per second'],
      [sum('requests'), 'answered'],
      [sum('failures'), 'failed'],
      [state.active, 'under way'],
      [sum('waiting'), 'waiting'],
      [bytes(memory.weights), 'weights' + (memory.budget == null ? '' : ' of ' + bytes(memory.budget))],
      [bytes(memory.kept), 'kept for later runs'],
      [bytes(memory.heap), 'heap of ' + bytes(memory.heapLimit)],
    ]);
    const body = $('models').tBodies[0];
    const focus = [...body.rows].indexOf(document.activeElement);
    body.replaceChildren(...state.models.map(model => row(state, model)));
    body.rows[focus]?.focus();
    $('devices').hidden = state.devices.length === 0;
    $('devices').tBodies[0].replaceChildren(...state.devices.map(each => line(
      [each.device], [each.kind], [bytes(each.used), 'number'], [bytes(each.held), 'number'], [bytes(each.peak), 'number'])));
    const model = state.models.find(each => key(each) === chosen);
    if (model) detail(model);
  }

  function tiles(pairs) {
    $('tiles').replaceChildren(...pairs.map(([value, name]) => {
      const tile = make('div');
      tile.append(make('b', value), make('span', name));
      return tile;
    }));
  }

  function rate(state, models) {
    if (!former) return '–';
    const before = new Map(former.models.map(each => [key(each), each.requests || 0]));
    const more = models.reduce((all, each) => all + Math.max(0, (each.requests || 0) - (before.get(key(each)) || 0)), 0);
    return (more / (state.at - former.at) * 1000).toFixed(1);
  }

  /** The bound below which a share of the times lies. */
  function quantile(buckets, share) {
    const all = buckets.reduce((sum, each) => sum + each.count, 0);
    let seen = 0;
    return all === 0 ? '–' : time(buckets.find(each => (seen += each.count) >= all * share).micros);
  }

  function row(state, model) {
    const served = model.metadata !== undefined;
    const made = line(
      [model.name], [model.version, 'number'], [model.state || 'not loaded', model.state], ...(served ? [
        [model.requests, 'number'], [rate(state, [model]), 'number'], [model.failures, model.failures ? 'number failed' : 'number'],
        [model.waiting, 'number'], [model.requests ? time(model.meanMicros) : '–', 'number'], [quantile(model.latency, 0.5), 'number'],
        [quantile(model.latency, 0.99), 'number'], [bytes(model.weights), 'number'],
      ] : Array(8).fill(['', 'number'])));
    if (model.reason) made.cells[2].append(make('small', model.reason));
    made.classList.toggle('on', key(model) === chosen);
    made.tabIndex = 0;
    made.onclick = () => { location.hash = 'model=' + encodeURIComponent(model.name) + '&version=' + model.version; };
    made.onkeydown = event => { if (event.key === 'Enter') made.onclick(); };
    return made;
  }

  // ---- one model

  function detail(model) {
    const served = model.metadata !== undefined;
    $('details').hidden = false;
    $('reason').textContent = model.reason;
    $('charts').replaceChildren();
    $('signature').hidden = $('try').hidden = !served;
    $('toGraph').hidden = !model.graph;
    $('toGraph').href = `${root}ui/graph?model=${encodeURIComponent(model.name)}&version=${encodeURIComponent(model.version)}`;
    if ($('details').dataset.of !== chosen + served) {
      $('details').dataset.of = chosen + served;
      $('name').textContent = model.name + (model.version ? ' · version ' + model.version : '');
      if (served) { signature(model); form(model); }
    }
    if (!served) return;
    const used = model.latency.map(each => each.count > 0);
    const times = model.latency.slice(Math.max(0, used.indexOf(true)), used.lastIndexOf(true) + 1);
    $('charts').append(
      make('h2', 'times of answers'),
      chart(times.map(each => [each.micros == null ? '> 50 s' : '≤ ' + time(each.micros), each.count])),
      make('small', `${model.rows} rows in ${model.runs} runs; mean run ${time(model.meanRunMicros)}, mean wait ${time(model.meanQueueMicros)}`),
      make('h2', 'requests that a run answers'),
      chart(model.batches.filter(each => each.count > 0).map(each => [String(each.size), each.count])));
  }

  function chart(pairs) {
    if (pairs.length === 0) return make('small', 'none yet');
    const most = Math.max(...pairs.map(([, count]) => count));
    const picture = draw('svg', { viewBox: `0 0 380 ${pairs.length * 16}`, role: 'img' });
    pairs.forEach(([name, count], i) => {
      const width = count && Math.max(1, 240 * count / most);
      picture.append(
        draw('text', { x: 66, y: i * 16 + 12, 'text-anchor': 'end' }, name),
        draw('rect', { x: 72, y: i * 16 + 3, width, height: 11, rx: 2 }),
        draw('text', { x: 78 + width, y: i * 16 + 12 }, count));
    });
    return picture;
  }

  function signature(model) {
    const tensors = (name, list) => list.flatMap(each =>
      [make('dt', name + ' ' + each.name), make('dd', each.datatype + ' [' + each.shape.join(', ') + ']')]);
    $('signature').replaceChildren(...tensors('input', model.metadata.inputs || []), ...tensors('output', model.metadata.outputs || []));
  }

  // ---- the form

  const field = (name, value, kind) => {
    const label = make('label', name);
    const input = make('input', undefined, kind);
    input.value = value;
    label.append(input);
    return [label, input];
  };

  function shape(input) {
    return (input.shape || []).map((dim, axis) => dim >= 0 ? dim : axis === 0 ? 1 : input.datatype === 'BYTES' ? 1 : input.shape.length === 4 ? 64 : 8);
  }

  function value(input) {
    if (input.datatype === 'BYTES') return '"a text"';
    if (input.datatype === 'BOOL') return 'true';
    if (/^[FB]/.test(input.datatype)) return '0.5';
    return /token_type|segment|past|position/.test(input.name) ? '0' : '1';
  }

  function form(model) {
    const fields = [];
    let request;
    if (model.generates || model.embeds) {
      const [label, text] = field('text', 'A mill stands at the river.');
      fields.push(label);
      request = () => model.generates
        ? [`v2/models/${encodeURIComponent(model.name)}/versions/${model.version}/generate`, { text_input: text.value, max_tokens: 32 }]
        : ['v1/embeddings', { model: model.name, input: text.value }];
    } else {
      const inputs = (model.metadata.inputs || []).map(input => {
        const [dims, extents] = field(`${input.name}, ${input.datatype}: shape`, JSON.stringify(shape(input)), 'shape');
        const [data, values] = field('values: one for all elements, or a list', value(input));
        fields.push(dims, data);
        return () => tensor(input, JSON.parse(extents.value), JSON.parse(values.value));
      });
      request = () => [`v2/models/${encodeURIComponent(model.name)}/versions/${model.version}/infer`, {
        inputs: inputs.map(each => each()),
        ...(model.sequences ? { parameters: { sequence_id: 1 + Math.floor(Math.random() * 1e9), sequence_start: true, sequence_end: true } } : {}),
      }];
    }
    $('fields').replaceChildren(...fields);
    $('answer').hidden = true;
    $('send').onclick = () => send(request);
  }

  function tensor(input, extents, values) {
    const count = extents.reduce((product, extent) => product * extent, 1);
    if (count > MOST_ELEMENTS) throw new Error(`${input.name} has ${count} elements; the form sends ${MOST_ELEMENTS} at most`);
    return { name: input.name, datatype: input.datatype, shape: extents,
      data: Array.isArray(values) ? values.flat(Infinity) : Array(count).fill(values) };
  }

  async function send(request) {
    const out = $('answer');
    out.hidden = false;
    out.textContent = '…';
    try {
      const [path, body] = request();
      const start = performance.now();
      const answer = await ask(path, body);
      const text = await answer.text();
      const took = (performance.now() - start).toFixed(1);
      out.textContent = `${answer.status}, ${took} ms\n` + (text.length > 8000 ? text.slice(0, 8000) + ' …' : text);
    } catch (failure) {
      out.textContent = failure.message;
    }
    refresh();
  }

  // ---- the page

  const requests = requestsView();

  function choose() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const ofRequests = asked.has('requests') || asked.has('request');
    $('overview').hidden = ofRequests;
    $('requests').hidden = !ofRequests;
    $('toModels').classList.toggle('on', !ofRequests);
    $('toRequests').classList.toggle('on', ofRequests);
    chosen = asked.has('model') ? key({ name: asked.get('model'), version: asked.get('version') || '' }) : null;
    $('details').hidden = true;
    requests.choose(Number(asked.get('request')));
    if (former) {
      show(former);
      if (ofRequests) refresh();
    }
  }

  $('toModels').onclick = () => { location.hash = ''; };
  $('toRequests').onclick = () => { location.hash = 'requests'; };

  $('enter').onclick = () => {
    sessionStorage.setItem('token', $('token').value);
    refresh();
  };
  $('token').onkeydown = event => { if (event.key === 'Enter') $('enter').onclick(); };
  offerThemes();
  addEventListener('hashchange', choose);
  document.addEventListener('visibilitychange', refresh);
  choose();
  refresh();
})();
