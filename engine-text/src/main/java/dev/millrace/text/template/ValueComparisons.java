package dev.millrace.text.template;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Equality, order and membership of values, as Python defines them. */
final class ValueComparisons {
    private ValueComparisons() {}

    static boolean holds(String operator, @Nullable Object a, @Nullable Object b, Steps steps) {
        return switch (operator) {
            case "==" -> equal(a, b, steps);
            case "!=" -> !equal(a, b, steps);
            case "in" -> contains(b, a, steps);
            case "not in" -> !contains(b, a, steps);
            default -> ordered(operator, a, b, steps);
        };
    }

    private static boolean ordered(String operator, @Nullable Object a, @Nullable Object b, Steps steps) {
        Number x = TemplateNumbers.exact(a);
        Number y = TemplateNumbers.exact(b);
        if (x != null && y != null && (TemplateNumbers.isNaN(x) || TemplateNumbers.isNaN(y))) {
            return false;
        }
        int order = compare(a, b, steps);
        return switch (operator) {
            case "<" -> order < 0;
            case "<=" -> order <= 0;
            case ">" -> order > 0;
            default -> order >= 0;
        };
    }

    static boolean equal(@Nullable Object a, @Nullable Object b, Steps steps) {
        steps.enter();
        boolean equal = switch (a) {
            case null -> b == null;
            case String x -> b instanceof String y && x.equals(y);
            case Undefined _ -> b instanceof Undefined;
            case List<?> x -> b instanceof List<?> y && x instanceof Tuple == y instanceof Tuple && equal(x, y, steps);
            case Map<?, ?> x -> b instanceof Map<?, ?> y && equal(x, y, steps);
            default -> {
                Number x = TemplateNumbers.exact(a);
                Number y = TemplateNumbers.exact(b);
                yield x == null ? a == b : y != null && !TemplateNumbers.isNaN(x) && TemplateNumbers.compare(x, y) == 0;
            }
        };
        steps.leave();
        return equal;
    }

    private static boolean equal(List<?> a, List<?> b, Steps steps) {
        if (a.size() != b.size()) {
            return false;
        }
        for (int i = 0; i < a.size(); i++) {
            if (!equal(a.get(i), b.get(i), steps)) {
                return false;
            }
        }
        return true;
    }

    private static boolean equal(Map<?, ?> a, Map<?, ?> b, Steps steps) {
        if (a.size() != b.size()) {
            return false;
        }
        for (Map.Entry<?, ?> entry : a.entrySet()) {
            if (!b.containsKey(entry.getKey()) || !equal(entry.getValue(), b.get(entry.getKey()), steps)) {
                return false;
            }
        }
        return true;
    }

    /** Compares numbers, strings, or lists; other pairs have no order. */
    static int compare(@Nullable Object a, @Nullable Object b, Steps steps) {
        Number x = TemplateNumbers.exact(a);
        Number y = TemplateNumbers.exact(b);
        if (x != null && y != null) {
            return TemplateNumbers.compare(x, y);
        }
        if (a instanceof String s && b instanceof String t) {
            return compare(s, t);
        }
        if (a instanceof List<?> s && b instanceof List<?> t && s instanceof Tuple == t instanceof Tuple) {
            return compare(s, t, steps);
        }
        throw new Failure(Values.kind(a) + " and " + Values.kind(b) + " have no order");
    }

    /** Compares by code points; surrogates are above all other chars. */
    private static int compare(String a, String b) {
        int end = Math.min(a.length(), b.length());
        for (int i = 0; i < end; i++) {
            char x = a.charAt(i);
            char y = b.charAt(i);
            if (x != y) {
                boolean surrogates = Character.isSurrogate(x) == Character.isSurrogate(y);
                return surrogates ? Character.compare(x, y) : Character.isSurrogate(x) ? 1 : -1;
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    private static int compare(List<?> a, List<?> b, Steps steps) {
        steps.enter();
        int order = 0;
        for (int i = 0; i < Math.min(a.size(), b.size()) && order == 0; i++) {
            order = equal(a.get(i), b.get(i), steps) ? 0 : compare(a.get(i), b.get(i), steps);
        }
        steps.leave();
        return order != 0 ? order : Integer.compare(a.size(), b.size());
    }

    static boolean contains(@Nullable Object container, @Nullable Object value, Steps steps) {
        switch (container) {
            case String text -> {
                if (!(value instanceof String part)) {
                    throw new Failure("a string contains strings, and not " + Values.kind(value));
                }
                steps.chars(text.length());
                return text.contains(part);
            }
            case Map<?, ?> map -> {
                return map.containsKey(Values.key(value));
            }
            case null, default -> {
                for (Object element : Sequences.elements(container, steps)) {
                    if (equal(element, value, steps)) {
                        return true;
                    }
                }
                return false;
            }
        }
    }
}
