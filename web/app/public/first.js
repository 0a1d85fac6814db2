// Runs before the first paint, so that a chosen theme and language never flash.
(function () {
  try {
    var theme = localStorage.getItem('fermata.theme');
    if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
    var lang = localStorage.getItem('fermata.lang') || (navigator.language || 'en').slice(0, 2);
    document.documentElement.lang = lang === 'fr' ? 'fr' : 'en';
  } catch (e) {
    /* storage may be forbidden: the browser's own choice holds */
  }
})();
