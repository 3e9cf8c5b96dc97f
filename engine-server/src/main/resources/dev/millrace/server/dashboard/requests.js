
/** Lists the newest requests, and draws the times of the chosen one. */
function requestsView() {
  const LEFT = 128, WIDTH = 388, ROW = 22, TOP = 18;
  let all = [];
  let chosen = 0;

  const round = micros => time(micros < 1000 ? +micros.toPrecision(3) : micros);
  /** The time that the parts of some kinds take together; nothing if there are none. */
  const sum = (request, ...kinds) => {
    const parts = request.parts.filter(part => kinds.includes(part.kind));
    return parts.length ? round(parts.reduce((micros, part) => micros + (part.to ?? request.soFarMicros) - part.from, 0)) : '';
  };

  async function refresh() {
    all = await told('ui/requests');
    show();
  }

  function show() {
    const order = $('order').value === 'slow' ? (a, b) => b.soFarMicros - a.soFarMicros : (a, b) => b.number - a.number;
    const body = $('recent').tBodies[0];
    const focus = [...body.rows].indexOf(document.activeElement);
    body.replaceChildren(...[...all].sort(order).map(row));
    body.rows[focus]?.focus();
    $('none').hidden = all.length > 0;
    detail();
  }

  function row(request) {
    const isOver = request.endMicros !== null;
    const hasFailed = request.status !== '' && request.status !== '200' && request.status !== 'OK';
    const made = line(
      [new Date(request.receivedMillis).toLocaleTimeString([], { hour12: false })], [request.model], [request.version, 'number'],
      [request.operation], [request.protocol], [isOver ? request.status : 'under way', hasFailed ? 'failed' : ''],
      [request.batch > 1 ? request.batch : '', 'number'], [sum(request, 'queue', 'batch'), 'number'],
      [sum(request, 'run', 'first', 'tokens'), 'number'], [request.tokens || '', 'number'], [round(request.soFarMicros), 'number']);
    made.classList.toggle('on', request.number === chosen);
    made.tabIndex = 0;
    made.onclick = () => { location.hash = 'request=' + request.number; };
    made.onkeydown = event => { if (event.key === 'Enter') made.onclick(); };
    return made;
  }

  // ---- one request

  function detail() {
    $('times').hidden = !chosen;
    if (!chosen) return;
    const request = all.find(each => each.number === chosen);
    $('timesOf').textContent = request ? `request ${request.number} · ${request.model}` : 'request ' + chosen;
    if (!request) {
      $('facts').replaceChildren(make('p', 'The server does not keep its times any more.'));
      $('axis').replaceChildren();
      return;
    }
    const facts = [
      ['received', new Date(request.receivedMillis).toLocaleString([], { hour12: false })],
      ['answered by', `${request.model || '–'}, version ${request.version || '–'}`],
      ['operation', `${request.operation}, ${request.protocol}`],
      ['status', request.endMicros === null ? 'under way' : request.status],
      ['time', round(request.soFarMicros)],
    ];
    if (request.rows) facts.push(['rows', request.rows]);
    if (request.batch > 1) facts.push(['requests in its run', request.batch]);
    if (request.promptTokens) facts.push(['tokens of prompts', request.promptTokens]);
    if (request.firstTokenMicros !== null) {
      facts.push(['time to the first token', round(request.firstTokenMicros)], ['tokens', request.tokens]);
    }
    $('facts').replaceChildren(...facts.flatMap(([name, value]) => [make('dt', name), make('dd', value)]));
    $('axis').replaceChildren(axis(request));
  }

  /** Draws each part as a bar along the time of the request. */
  function axis(request) {
    const whole = Math.max(request.soFarMicros, 1);
    const x = micros => LEFT + (WIDTH - LEFT) * Math.min(1, Math.max(0, micros / whole));
    const height = TOP + ROW * request.parts.length + 4;
    const picture = draw('svg', { viewBox: `0 0 ${WIDTH} ${height}`, role: 'img', 'aria-label': 'The times of the request' });
    [0, 0.5, 1].forEach(share => picture.append(
      draw('line', { x1: x(whole * share), x2: x(whole * share), y1: TOP - 4, y2: height, class: 'tick' }),
      draw('text', { x: x(whole * share), y: 10, 'text-anchor': share === 1 ? 'end' : share ? 'middle' : 'start' }, round(whole * share))));
    request.parts.forEach((part, i) => {
      const to = part.to ?? request.soFarMicros;
      const width = Math.max(1.5, x(to) - x(part.from));
      const y = TOP + ROW * i;
      const name = part.name.length > 22 ? part.name.slice(0, 21) + '…' : part.name;
      const bar = draw('rect', { x: Math.min(x(part.from), WIDTH - 1.5), y: y + 3, width, height: ROW - 8, rx: 2, class: part.kind });
      bar.append(draw('title', {}, `${part.name}: ${round(part.from)} to ${round(to)}`));
      const isLeft = x(to) > WIDTH - 50;
      picture.append(
        draw('text', { x: LEFT - 6, y: y + 14, 'text-anchor': 'end' }, name), bar,
        draw('text', { x: isLeft ? Math.max(x(part.from) - 4, LEFT + 40) : x(to) + 4, y: y + 14, 'text-anchor': isLeft ? 'end' : 'start',
          class: 'length' }, round(to - part.from) + (part.to === null ? ' so far' : '')));
    });
    return picture;
  }

  $('order').onchange = show;
  return { refresh, choose(number) { chosen = number || 0; if (all.length) show(); else $('times').hidden = true; } };
}
