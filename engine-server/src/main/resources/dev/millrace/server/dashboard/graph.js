
/** Asks for the model that the address names, and draws it. */
(async () => {
  const asked = new URLSearchParams(location.search);
  const name = asked.get('model') || '', version = asked.get('version') || '';
  const back = make('a', '← models');
  back.href = `${root}ui#model=${encodeURIComponent(name)}&version=${encodeURIComponent(version)}`;
  document.querySelector('header').prepend(back);
  try {
    showModel(await told(`ui/graph/${encodeURIComponent(name)}/${encodeURIComponent(version)}`));
  } catch (failure) {
    $('title').textContent = failure.message;
  }
})();
