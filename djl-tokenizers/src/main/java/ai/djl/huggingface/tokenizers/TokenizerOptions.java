package ai.djl.huggingface.tokenizers;

import dev.millrace.text.Truncation;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a tokenizer, by the names that DJL's map has. */
final class TokenizerOptions {
    /** The text to which encodings are padded. */
    enum Padding {
        LONGEST,
        MAX_LENGTH,
        DO_NOT_PAD
    }

    /** Whether special tokens are added; null if the options do not say. */
    @Nullable
    Boolean addSpecialTokens;

    boolean withOverflowingTokens;
    /** The strategy; null for none. */
    @Nullable
    Truncation truncation = Truncation.LONGEST_FIRST;

    Padding padding = Padding.LONGEST;
    int maxLength = -1;
    int modelMaxLength = -1;
    int padToMultipleOf;
    int stride;
    /** The language for lower case; null to leave texts as they are. */
    @Nullable
    Locale lowerCase;

    /** Returns the options of a map; those of null are the usual ones. */
    static TokenizerOptions of(@Nullable Map<String, ?> options) {
        var chosen = new TokenizerOptions();
        if (options != null) {
            chosen.configure(options);
        }
        return chosen;
    }

    private static @Nullable String value(Map<String, ?> options, String name) {
        Object value = options.get(name);
        return value == null ? null : value.toString();
    }

    private static int number(Map<String, ?> options, String name, int otherwise) {
        String value = value(options, name);
        return value == null ? otherwise : Integer.parseInt(value);
    }

    private static boolean flag(Map<String, ?> options, String name, boolean otherwise) {
        String value = value(options, name);
        return value == null ? otherwise : Boolean.parseBoolean(value);
    }

    void configure(Map<String, ?> options) {
        String added = value(options, "addSpecialTokens");
        addSpecialTokens = added == null ? addSpecialTokens : Boolean.valueOf(added);
        withOverflowingTokens = flag(options, "withOverflowingTokens", withOverflowingTokens);
        String cut = value(options, "truncation");
        if (cut != null) {
            truncation = truncation(cut);
        }
        String padded = value(options, "padding");
        if (padded != null) {
            padding = padding(padded);
        }
        maxLength = number(options, "maxLength", maxLength);
        modelMaxLength = number(options, "modelMaxLength", modelMaxLength);
        padToMultipleOf = number(options, "padToMultipleOf", padToMultipleOf);
        stride = number(options, "stride", stride);
        String lower = value(options, "doLowerCase");
        if (lower != null) {
            lowerCase(lower);
        }
    }

    /** Returns whether special tokens are added: as an option says, else unless a configuration has none. */
    boolean addsSpecialTokens(@Nullable TokenizerConfig config) {
        return addSpecialTokens == null ? config == null || config.hasSpecialToken() : addSpecialTokens;
    }

    /** Returns a text as it is tokenised. */
    String read(String text) {
        return lowerCase == null ? text : text.toLowerCase(lowerCase);
    }

    /** Sets the language: {@code true} for that of the machine, {@code false} for none, or a language tag. */
    void lowerCase(String language) {
        lowerCase = switch (language) {
            case "true" -> Locale.getDefault();
            case "false" -> null;
            default -> Locale.forLanguageTag(language);
        };
    }

    private static @Nullable Truncation truncation(String name) {
        return switch (name) {
            case "true" -> Truncation.LONGEST_FIRST;
            case "false" -> null;
            default ->
                switch (name.toUpperCase(Locale.ROOT)) {
                    case "LONGEST_FIRST" -> Truncation.LONGEST_FIRST;
                    case "ONLY_FIRST" -> Truncation.ONLY_FIRST;
                    case "ONLY_SECOND" -> Truncation.ONLY_SECOND;
                    case "DO_NOT_TRUNCATE" -> null;
                    default -> throw new IllegalArgumentException("Invalid TruncationStrategy: " + name);
                };
        };
    }

    private static Padding padding(String name) {
        return switch (name) {
            case "true" -> Padding.LONGEST;
            case "false" -> Padding.DO_NOT_PAD;
            default -> {
                for (Padding each : Padding.values()) {
                    if (each.name().equalsIgnoreCase(name)) {
                        yield each;
                    }
                }
                throw new IllegalArgumentException("Invalid PaddingStrategy: " + name);
            }
        };
    }

    /**
     * Returns the most tokens of an encoding: as an option says, else as the file, and no more than the model takes. If texts
     * are cut to it and padded to it, it is a multiple of the number that an option gives.
     */
    int mostTokens(int ofFile, TokenizerConfig config) {
        boolean isUnlimited = truncation == null && padding != Padding.MAX_LENGTH;
        if (isUnlimited && maxLength < 0 && ofFile == 0) {
            return -1;
        }
        int most = modelMaxLength >= 0 ? modelMaxLength : config.getModelMaxLength();
        int wanted = Math.min(maxLength >= 0 ? maxLength : ofFile > 0 ? ofFile : most, most);
        if (truncation == null || padding != Padding.MAX_LENGTH || padToMultipleOf <= 0) {
            return wanted;
        }
        int rounded = Math.ceilDiv(wanted, padToMultipleOf) * padToMultipleOf;
        return rounded > most ? rounded - padToMultipleOf : rounded;
    }

    /**
     * Returns the length to which the encodings of a batch are padded; 0 for none.
     *
     * @param most the most tokens of an encoding
     */
    int paddedLength(int longest, int most) {
        int length = switch (padding) {
            case LONGEST -> longest;
            case MAX_LENGTH -> most;
            case DO_NOT_PAD -> 0;
        };
        return padToMultipleOf > 0 ? Math.ceilDiv(length, padToMultipleOf) * padToMultipleOf : length;
    }
}
