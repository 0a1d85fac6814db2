// The screens in the order of the menu.
export const first = ['home', 'chat', 'approvals', 'automations', 'data'] as const;
export const second = ['runs', 'usage', 'settings', 'system'] as const;
export const screens = [...first, ...second];
export type Screen = (typeof screens)[number];

export const pathOf = (screen: Screen): string => (screen === 'home' ? '/' : `/${screen}`);
