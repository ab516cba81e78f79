/** The roles that every installation begins with. Operators may change all but the first, which has every permission. */
export const SHIPPED_ROLES = [
  {
    id: '6f1c7a52-3d0e-4b7e-9a61-000000000001',
    codename: 'project_manager',
    name: 'Project manager',
    permissions: ['all'],
  },
  {
    id: '6f1c7a52-3d0e-4b7e-9a61-000000000002',
    codename: 'editor',
    name: 'Editor',
    permissions: [
      'view-content',
      'create-content',
      'edit-content',
      'delete-content',
      'publish',
      'manage-sitemap',
    ],
  },
  {
    id: '6f1c7a52-3d0e-4b7e-9a61-000000000003',
    codename: 'contributor',
    name: 'Contributor',
    permissions: ['view-content', 'create-content', 'edit-content'],
  },
  {
    id: '6f1c7a52-3d0e-4b7e-9a61-000000000004',
    codename: 'translator',
    name: 'Translator',
    permissions: ['view-content', 'edit-content'],
  },
  {
    id: '6f1c7a52-3d0e-4b7e-9a61-000000000005',
    codename: 'developer',
    name: 'Developer',
    permissions: [
      'view-content',
      'manage-types',
      'manage-taxonomies',
      'manage-sitemap',
      'manage-languages',
      'manage-apis',
    ],
  },
  {
    id: '6f1c7a52-3d0e-4b7e-9a61-000000000006',
    codename: 'reader',
    name: 'Reader',
    permissions: ['view-content'],
  },
] as const;
