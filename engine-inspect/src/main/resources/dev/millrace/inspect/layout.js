'use strict';

/**
 * Places boxes in rows, each below all that it reads. Edges that cross rows get a lane of their own in each, so that they
 * run between boxes and not through them.
 * boxes: [{w, h}] in an order in which most edges go forward; edges: [[from, to]].
 * Sets x and y of the boxes; gives {w, h, paths: [[[x, y], ...]]}, a path for each edge.
 */
function placeInRows(boxes, edges) {
  const GAP_X = 22, GAP_Y = 34, LANE = 10, MOST_LANES = 6000;
  const forward = edges.filter(([from, to]) => from < to);
  const rank = new Array(boxes.length).fill(0);
  const readers = boxes.map(() => []);
  forward.forEach(([from, to]) => readers[from].push(to));
  boxes.forEach((_, i) => readers[i].forEach(to => { rank[to] = Math.max(rank[to], rank[i] + 1); }));
  // what reads nothing stands right above its first reader
  const reads = new Set(forward.map(([, to]) => to));
  boxes.forEach((_, i) => {
    if (!reads.has(i) && readers[i].length) rank[i] = Math.min(...readers[i].map(to => rank[to])) - 1;
  });

  const places = boxes.map((box, i) => ({ w: box.w, h: box.h, rank: rank[i], up: [], down: [], box }));
  let lanes = forward.reduce((sum, [from, to]) => sum + rank[to] - rank[from] - 1, 0);
  const chains = forward.map(([from, to]) => {
    const chain = [places[from]];
    for (let r = rank[from] + 1; lanes <= MOST_LANES && r < rank[to]; r++) {
      const lane = { w: LANE, h: 0, rank: r, up: [], down: [] };
      places.push(lane);
      chain.push(lane);
    }
    chain.push(places[to]);
    for (let i = 1; i < chain.length; i++) {
      chain[i - 1].down.push(chain[i]);
      chain[i].up.push(chain[i - 1]);
    }
    return chain;
  });

  const rows = [];
  places.forEach(place => (rows[place.rank] ??= []).push(place));
  for (let i = 0; i < rows.length; i++) rows[i] ??= [];
  const number = row => row.forEach((place, i) => { place.at = i; });
  rows.forEach(number);
  const sort = (row, side) => {
    row.forEach(place => {
      const near = place[side];
      place.wish = near.length ? near.reduce((sum, other) => sum + other.at, 0) / near.length : place.at;
    });
    row.sort((a, b) => a.wish - b.wish);
    number(row);
  };
  for (let round = 0; round < 6; round++) {
    for (let i = 1; i < rows.length; i++) sort(rows[i], 'up');
    for (let i = rows.length - 2; i >= 0; i--) sort(rows[i], 'down');
  }

  rows.forEach(row => {
    let x = 0;
    row.forEach(place => { place.x = x; x += place.w + GAP_X; });
    row.forEach(place => { place.x -= (x - GAP_X) / 2; });
  });
  const middle = place => place.x + place.w / 2;
  const settle = (row, side) => {
    row.forEach(place => {
      const near = place[side];
      place.wish = near.length ? near.reduce((sum, other) => sum + middle(other), 0) / near.length - place.w / 2 : place.x;
    });
    // the mean of what presses from the left and what presses from the right
    const left = [], right = [];
    let edge = -Infinity;
    row.forEach((place, i) => { left[i] = Math.max(place.wish, edge); edge = left[i] + place.w + GAP_X; });
    edge = Infinity;
    for (let i = row.length - 1; i >= 0; i--) {
      right[i] = Math.min(row[i].wish, edge - row[i].w - GAP_X);
      edge = right[i];
    }
    row.forEach((place, i) => { place.x = (left[i] + right[i]) / 2; });
  };
  for (let round = 0; round < 8; round++) {
    for (let i = 1; i < rows.length; i++) settle(rows[i], 'up');
    for (let i = rows.length - 2; i >= 0; i--) settle(rows[i], 'down');
  }

  let least = Infinity, most = -Infinity, y = 0;
  places.forEach(place => { least = Math.min(least, place.x); most = Math.max(most, place.x + place.w); });
  rows.forEach(row => {
    const high = Math.max(0, ...row.map(place => place.h));
    row.forEach(place => { place.y = y + (high - place.h) / 2; place.x -= least; place.top = y; place.bottom = y + high; });
    y += high + GAP_Y;
  });
  places.forEach(place => {
    if (place.box) { place.box.x = place.x; place.box.y = place.y; }
  });
  const paths = chains.map(chain => chain.flatMap((place, i) => {
    if (i === 0) return [[middle(place), place.y + place.h]];
    if (i === chain.length - 1) return [[middle(place), place.y]];
    return [[middle(place), place.top], [middle(place), place.bottom]];
  }));
  return { w: places.length ? most - least : 0, h: Math.max(0, y - GAP_Y), paths, edges: forward };
}

/** A line through points that leaves and enters them upright. */
function curve(points) {
  let path = 'M' + points[0].map(Math.round).join(' ');
  for (let i = 1; i < points.length; i++) {
    const [x1, y1] = points[i - 1], [x2, y2] = points[i];
    const bend = (y1 + y2) / 2;
    path += x1 === x2 ? ` L${Math.round(x2)} ${Math.round(y2)}`
      : ` C${Math.round(x1)} ${Math.round(bend)} ${Math.round(x2)} ${Math.round(bend)} ${Math.round(x2)} ${Math.round(y2)}`;
  }
  return path;
}
