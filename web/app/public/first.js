// Runs before the first paint, so that a chosen theme, language and width of the menu never flash.
(function () {
  try {
    var theme = localStorage.getItem('fermata.theme');
    if (theme === 'light' || theme === 'dark') {
      document.documentElement.dataset.theme = theme;
      var frame = document.querySelectorAll('meta[name=theme-color]');
      for (var i = 0; i < frame.length; i++) frame[i].content = theme === 'dark' ? '#121518' : '#f7f7f5';
    }
    var menu = localStorage.getItem('fermata.menu') || (matchMedia('(max-width: 1000px)').matches ? 'folded' : 'open');
    if (menu === 'folded') document.documentElement.dataset.menu = 'folded';
    var lang = localStorage.getItem('fermata.lang') || (navigator.language || 'en').slice(0, 2);
    document.documentElement.lang = lang === 'fr' ? 'fr' : 'en';
  } catch (e) {
    /* storage may be blocked: the browser's own preference applies */
  }
})();
