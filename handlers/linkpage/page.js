'use strict';
(function () {
  var form = document.querySelector('form[data-key]');
  if (!form) return;
  var pressed = false;
  var sent = false;
  // A click that a script makes is none: only one that the browser vouches for counts.
  form.addEventListener('click', function (e) {
    if (e.isTrusted && e.target.closest('button[name=answer]')) pressed = true;
  }, true);
  form.addEventListener('submit', function (e) {
    if (!e.isTrusted || !pressed || sent) {
      e.preventDefault();
      return;
    }
    sent = true;
    form.elements.nonce.value = form.dataset.key.split('').reverse().join('');
    setTimeout(function () {
      form.querySelectorAll('button').forEach(function (b) { b.disabled = true; });
    }, 0);
  });
  // Shown again by the browser's way back: what was settled meanwhile is asked for.
  window.addEventListener('pageshow', function (e) {
    if (e.persisted) location.reload();
  });
})();
