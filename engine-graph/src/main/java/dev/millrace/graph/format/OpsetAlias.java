package dev.millrace.graph.format;

/**
 * How a file holds ONNX operators of several opsets: those that are not of the model's own opset stand in a domain that
 * names theirs, such as {@code dev.millrace.onnx12}.
 */
final class OpsetAlias {
    private static final String PREFIX = "dev.millrace.onnx";
    private static final int MOST_DIGITS = 9;

    private OpsetAlias() {}

    static String domainOf(int opset) {
        return PREFIX + opset;
    }

    /** The opset that {@code domain} stands for, or 0 where it is no alias. */
    static int opsetOf(String domain) {
        int digits = domain.length() - PREFIX.length();
        if (digits < 1 || digits > MOST_DIGITS || !domain.startsWith(PREFIX)) {
            return 0;
        }
        int opset = 0;
        for (int i = PREFIX.length(); i < domain.length(); i++) {
            int digit = domain.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return 0;
            }
            opset = opset * 10 + digit;
        }
        return opset;
    }
}
