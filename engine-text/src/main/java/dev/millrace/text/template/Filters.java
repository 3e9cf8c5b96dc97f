package dev.millrace.text.template;

/** The filters by their names. */
final class Filters {
    static final Builtin.Table TABLE = new Builtin.Table()
            .addAll(TextFilters.TABLE)
            .addAll(NumberFilters.TABLE)
            .addAll(ListFilters.TABLE)
            .addAll(SortFilters.TABLE)
            .addAll(SelectFilters.TABLE);

    private Filters() {}
}
