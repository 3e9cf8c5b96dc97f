package dev.millrace.text.template;

/**
 * A token of a template.
 *
 * @param text the text of literal text and of a string with its escapes resolved; otherwise the chars of the template
 * @param at the index of its first char in the template
 */
record TemplateToken(Kind kind, String text, int at) {
    enum Kind {
        TEXT,
        PRINT_BEGIN,
        PRINT_END,
        TAG_BEGIN,
        TAG_END,
        NAME,
        STRING,
        INTEGER,
        FLOAT,
        OPERATOR,
        END
    }

    boolean is(Kind other, String otherText) {
        return kind == other && text.equals(otherText);
    }

    /** The token as error messages name it. */
    String described() {
        return switch (kind) {
            case END -> "the end of the template";
            case TEXT -> "text";
            case STRING -> "a string";
            case PRINT_END, TAG_END -> "the end of the tag";
            default -> "'" + text + "'";
        };
    }
}
