package dev.millrace.text.normalizer;

import dev.millrace.text.json.Json;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.pattern.Search;
import java.text.Normalizer;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/** The normalizers that a {@code tokenizer.json} can name. */
public final class Normalizers {
    private static final Normalization NONE = (text, budget) -> text;

    private Normalizers() {}

    /** Creates the normalizer of a description; without one, texts stay as they are. */
    public static Normalization of(Json description) {
        if (description.isNull()) {
            return NONE;
        }
        return switch (description.type()) {
            case "Sequence" -> sequence(description.get("normalizers").elements());
            case "BertNormalizer" -> bert(description);
            case "NFC" -> form(Normalizer.Form.NFC);
            case "NFD" -> form(Normalizer.Form.NFD);
            case "NFKC" -> form(Normalizer.Form.NFKC);
            case "NFKD" -> form(Normalizer.Form.NFKD);
            case "Lowercase" -> Normalizers::lowerCase;
            case "StripAccents" -> Normalizers::withoutMarks;
            case "Strip" -> strip(description);
            case "Replace" -> replace(description);
            case "Prepend" -> prepend(description.get("prepend").text());
            case "Nmt" -> Normalizers::nmt;
            case "Precompiled" -> precompiled(description);
            default -> throw description.unknown("normalizer");
        };
    }

    private static Normalization sequence(List<Json> parts) {
        List<Normalization> all = parts.stream().map(Normalizers::of).toList();
        return (text, budget) -> {
            Aligned made = text;
            for (Normalization each : all) {
                budget.spend(1);
                made = each.apply(made, budget);
            }
            return made;
        };
    }

    private static Normalization bert(Json description) {
        boolean cleans = description.get("clean_text").flag(true);
        boolean partsChinese = description.get("handle_chinese_chars").flag(true);
        boolean lowers = description.get("lowercase").flag(true);
        boolean strips = description.get("strip_accents").flag(lowers);
        return (text, budget) -> {
            Aligned made = cleans ? text.map(Normalizers::cleaned, budget) : text;
            made = partsChinese
                    ? made.map(c -> isChinese(c) ? " " + Character.toString(c) + " " : Character.toString(c), budget)
                    : made;
            made = strips ? withoutMarks(Forms.apply(made, Normalizer.Form.NFD, budget), budget) : made;
            return lowers ? lowerCase(made, budget) : made;
        };
    }

    private static String cleaned(int c) {
        if (c == 0 || c == 0xfffd || isControl(c)) {
            return "";
        }
        return isSpace(c) ? " " : Character.toString(c);
    }

    /** Whether it is white space in Unicode, no-break spaces included. */
    public static boolean isSpace(int c) {
        return Character.isSpaceChar(c) || c >= '\t' && c <= '\r' || c == 0x85;
    }

    private static boolean isControl(int c) {
        if (c == '\t' || c == '\n' || c == '\r') {
            return false;
        }
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.SURROGATE -> true;
            default -> false;
        };
    }

    private static boolean isChinese(int c) {
        return c >= 0x4e00 && c <= 0x9fff
                || c >= 0x3400 && c <= 0x4dbf
                || c >= 0x20000 && c <= 0x2a6df
                || c >= 0x2a700 && c <= 0x2b73f
                || c >= 0x2b740 && c <= 0x2b81f
                || c >= 0x2b920 && c <= 0x2ceaf
                || c >= 0xf900 && c <= 0xfaff
                || c >= 0x2f800 && c <= 0x2fa1f;
    }

    private static Normalization form(Normalizer.Form form) {
        return (text, budget) -> Forms.apply(text, form, budget);
    }

    private static Aligned lowerCase(Aligned text, Budget budget) {
        // code point by code point, so that a final sigma does not depend on its neighbours
        return text.map(c -> Character.toString(c).toLowerCase(Locale.ROOT), budget);
    }

    private static Aligned withoutMarks(Aligned text, Budget budget) {
        return text.map(c -> Character.getType(c) == Character.NON_SPACING_MARK ? "" : Character.toString(c), budget);
    }

    private static Normalization strip(Json description) {
        boolean left = description.get("strip_left").flag(true);
        boolean right = description.get("strip_right").flag(true);
        return (text, budget) -> {
            budget.spend(text.length());
            int from = 0;
            int to = text.length();
            while (left && from < to && isSpace(text.text().charAt(from))) {
                from++;
            }
            while (right && to > from && isSpace(text.text().charAt(to - 1))) {
                to--;
            }
            return text.slice(from, to);
        };
    }

    private static Normalization replace(Json description) {
        Search search = Patterns.of(description.get("pattern"));
        String content = description.get("content").text();
        return (text, budget) -> text.replace(search, content, budget);
    }

    private static Normalization prepend(String before) {
        return (text, budget) -> text.prepend(before, budget);
    }

    private static Aligned nmt(Aligned text, Budget budget) {
        return text.map(
                c -> {
                    if (c >= 1 && c <= 8 || c == 0xb || c >= 0xe && c <= 0x1f || c == 0x7f || c == 0x8f || c == 0x9f) {
                        return "";
                    }
                    boolean becomesSpace = c == 9
                            || c == 0xa
                            || c == 0xc
                            || c == 0xd
                            || c == 0x1680
                            || c >= 0x200b && c <= 0x200f
                            || c == 0x2028
                            || c == 0x2029
                            || c == 0x2581
                            || c == 0xfeff
                            || c == 0xfffd;
                    return becomesSpace ? " " : Character.toString(c);
                },
                budget);
    }

    private static Normalization precompiled(Json description) {
        String encoded = description.get("precompiled_charsmap").text("");
        if (encoded.isEmpty()) {
            return NONE;
        }
        try {
            return CharsMap.read(Base64.getDecoder().decode(encoded))::apply;
        } catch (IllegalArgumentException e) {
            throw description.refused("precompiled_charsmap cannot be read: " + e.getMessage());
        }
    }
}
