package dev.millrace.text.template;

/** The values of literals. */
final class Literals {
    private Literals() {}

    /** A constant such as {@code true}, or the variable of a name. */
    static TemplateExpression ofName(TemplateToken name) {
        return switch (name.text()) {
            case "true", "True" -> new TemplateExpression.Literal(name.at(), true);
            case "false", "False" -> new TemplateExpression.Literal(name.at(), false);
            case "none", "None" -> new TemplateExpression.Literal(name.at(), null);
            default -> new TemplateExpression.Name(name.at(), name.text());
        };
    }

    static Object number(TemplateToken token, TokenStream tokens) {
        String digits = token.text().replace("_", "");
        if (token.kind() == TemplateToken.Kind.FLOAT) {
            return Double.parseDouble(digits);
        }
        int base = digits.length() < 2 ? 10 : base(digits.charAt(1));
        try {
            return Long.parseLong(base == 10 ? digits : digits.substring(2), base);
        } catch (NumberFormatException e) {
            throw tokens.error(token.at(), "'" + token.text() + "' is no integer of 64 bits");
        }
    }

    private static int base(char letter) {
        return switch (letter) {
            case 'x', 'X' -> 16;
            case 'o', 'O' -> 8;
            case 'b', 'B' -> 2;
            default -> 10;
        };
    }
}
