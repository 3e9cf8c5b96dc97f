package dev.millrace.cli.fire;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;

/** Tokenizers of all kinds as trees of maps, lists, texts, numbers and truths, which can be changed. */
final class TokenizerSeeds {
    static final List<String> KINDS = List.of(
            "BPE",
            "WordPiece",
            "Unigram",
            "WordLevel",
            "Sequence",
            "BertNormalizer",
            "NFC",
            "NFD",
            "NFKC",
            "NFKD",
            "Lowercase",
            "StripAccents",
            "Strip",
            "Replace",
            "Prepend",
            "Nmt",
            "Precompiled",
            "BertPreTokenizer",
            "ByteLevel",
            "Metaspace",
            "Whitespace",
            "WhitespaceSplit",
            "Punctuation",
            "Digits",
            "CharDelimiterSplit",
            "Split",
            "TemplateProcessing",
            "BertProcessing",
            "RobertaProcessing",
            "BPEDecoder",
            "ByteFallback",
            "Fuse",
            "CTC");

    private static final List<String> EXPRESSIONS = List.of(
            "(?i:'s|'t|'re)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s+(?!\\S)|\\s+",
            "\\s+",
            "[a-c]+?",
            "(a+)+x",
            "(a*)*x",
            "(a|a)*x",
            "(?=(a+)+x)a",
            "(?<=a{1,30})b",
            "(?>a+)b",
            "((a{1,1000}){1,20}){1,20}x",
            "(((a{1,1000}){1,1000}){1,1000})x",
            "(){1000000000}",
            "^|$|\\b",
            ".{0,5}",
            "(|a)(|b)(|c)(|a)(|b)(|c)(|a)(|b)(|c)(|a)(|b)(|c)(|a)(|b)(|c)(|a)(|b)(|c)(|a)(|b)(|c)(|a)(|b)(|c)x",
            "[",
            "\\",
            "(?x)",
            "(a)\\1",
            "a{2147483647}",
            "\\p{IsHan}+",
            "(?:a|b|ab|ba)*c");

    private TokenizerSeeds() {}

    static Map<String, Object> object(Object... pairs) {
        var made = new LinkedHashMap<String, Object>();
        for (int i = 0; i < pairs.length; i += 2) {
            made.put((String) pairs[i], pairs[i + 1]);
        }
        return made;
    }

    static List<Object> list(Object... elements) {
        return new ArrayList<>(Arrays.asList(elements));
    }

    private static Map<String, Object> kind(String type, Object... pairs) {
        Map<String, Object> made = object("type", type);
        made.putAll(object(pairs));
        return made;
    }

    static String expression(Random random) {
        return EXPRESSIONS.get(random.nextInt(EXPRESSIONS.size()));
    }

    /** One of the seeds. */
    static Map<String, Object> draw(Random random) {
        Map<String, Object> file = object("version", "1.0", "model", model(random));
        file.put("normalizer", normalizer(random, 0));
        file.put("pre_tokenizer", splitter(random, 0));
        file.put("decoder", decoder(random, 0));
        file.put("post_processor", frame(random));
        file.put("added_tokens", added());
        if (random.nextInt(3) == 0) {
            file.put("truncation", object("max_length", 8, "strategy", "LongestFirst", "direction", "Left"));
        }
        if (random.nextInt(3) == 0) {
            file.put("padding", padding(random));
        }
        return file;
    }

    private static Map<String, Object> padding(Random random) {
        Object strategy = random.nextBoolean() ? "BatchLongest" : object("Fixed", 12);
        return object(
                "strategy", strategy, "direction", "Left", "pad_to_multiple_of", 4, "pad_id", 0, "pad_token", "[PAD]");
    }

    private static Map<String, Object> model(Random random) {
        Map<String, Object> vocabulary = object(
                "[UNK]", 0, "[CLS]", 1, "[SEP]", 2, "a", 3, "b", 4, "c", 5, "ab", 6, "##a", 7, "##b", 8, "abc", 9);
        return switch (random.nextInt(4)) {
            case 0 ->
                kind(
                        "BPE",
                        "vocab",
                        vocabulary,
                        "merges",
                        list("a b", list("ab", "c")),
                        "unk_token",
                        "[UNK]",
                        "fuse_unk",
                        true,
                        "byte_fallback",
                        true,
                        "ignore_merges",
                        false,
                        "continuing_subword_prefix",
                        "",
                        "end_of_word_suffix",
                        "");
            case 1 ->
                kind(
                        "WordPiece",
                        "vocab",
                        vocabulary,
                        "unk_token",
                        "[UNK]",
                        "continuing_subword_prefix",
                        "##",
                        "max_input_chars_per_word",
                        100);
            case 2 ->
                kind(
                        "Unigram",
                        "unk_id",
                        0,
                        "byte_fallback",
                        false,
                        "vocab",
                        list(
                                list("<unk>", 0.0),
                                list("a", -1.5),
                                list("b", -2.5),
                                list("ab", -2.0),
                                list("\u2581a", -3.0)));
            default -> kind("WordLevel", "vocab", vocabulary, "unk_token", "[UNK]");
        };
    }

    private static Object pattern(Random random) {
        return random.nextBoolean()
                ? object("String", random.nextBoolean() ? "a" : " ")
                : object("Regex", expression(random));
    }

    private static Object normalizer(Random random, int depth) {
        return switch (random.nextInt(depth > 2 ? 7 : 9)) {
            case 0 ->
                kind("BertNormalizer", "clean_text", true, "strip_accents", random.nextBoolean(), "lowercase", true);
            case 1 ->
                kind(List.of("NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "Nmt")
                        .get(random.nextInt(7)));
            case 2 -> kind("Strip", "strip_left", true, "strip_right", random.nextBoolean());
            case 3 -> kind("Replace", "pattern", pattern(random), "content", random.nextBoolean() ? "aa" : "");
            case 4 -> kind("Prepend", "prepend", "\u2581");
            case 5 -> kind("Precompiled", "precompiled_charsmap", "CAAAAAAAAAAAAAAAAGEA");
            case 6 -> kind("Replace", "pattern", object("String", "a"), "content", "aa");
            default -> kind("Sequence", "normalizers", many(random, () -> normalizer(random, depth + 1)));
        };
    }

    private static Object splitter(Random random, int depth) {
        return switch (random.nextInt(depth > 2 ? 6 : 8)) {
            case 0 ->
                kind(List.of("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Punctuation")
                        .get(random.nextInt(4)));
            case 1 -> kind("ByteLevel", "add_prefix_space", true, "use_regex", random.nextBoolean());
            case 2 ->
                kind("Metaspace", "replacement", "\u2581", "prepend_scheme", "first", "split", random.nextBoolean());
            case 3 -> kind("Digits", "individual_digits", random.nextBoolean());
            case 4 -> kind("CharDelimiterSplit", "delimiter", "-");
            case 5 ->
                kind(
                        "Split",
                        "pattern",
                        pattern(random),
                        "invert",
                        random.nextBoolean(),
                        "behavior",
                        List.of("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")
                                .get(random.nextInt(5)));
            default -> kind("Sequence", "pretokenizers", many(random, () -> splitter(random, depth + 1)));
        };
    }

    private static Object decoder(Random random, int depth) {
        return switch (random.nextInt(depth > 2 ? 7 : 9)) {
            case 0 -> kind("WordPiece", "prefix", "##", "cleanup", true);
            case 1 ->
                kind(List.of("ByteLevel", "ByteFallback", "Fuse", "BPEDecoder").get(random.nextInt(4)));
            case 2 -> kind("Metaspace", "replacement", "\u2581", "add_prefix_space", true);
            case 3 -> kind("Strip", "content", "a", "start", 1, "stop", 1);
            case 4, 5 -> kind("Replace", "pattern", pattern(random), "content", "bb");
            case 6 -> kind("CTC", "pad_token", "b", "word_delimiter_token", "|", "cleanup", true);
            default -> kind("Sequence", "decoders", many(random, () -> decoder(random, depth + 1)));
        };
    }

    private static Object frame(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> kind("BertProcessing", "cls", list("[CLS]", 1), "sep", list("[SEP]", 2));
            case 1 -> kind("RobertaProcessing", "cls", list("[CLS]", 1), "sep", list("[SEP]", 2), "trim_offsets", true);
            case 2 -> kind("ByteLevel", "trim_offsets", true);
            default -> {
                Object text = object("Sequence", object("id", "A", "type_id", 0));
                Object other = object("Sequence", object("id", "B", "type_id", 1));
                Object mark = object("SpecialToken", object("id", "[CLS]", "type_id", 0));
                Object marks = object("[CLS]", object("id", "[CLS]", "ids", list(1), "tokens", list("[CLS]")));
                yield kind(
                        "TemplateProcessing",
                        "single",
                        list(mark, text),
                        "pair",
                        list(mark, text, mark, other),
                        "special_tokens",
                        marks);
            }
        };
    }

    private static List<Object> added() {
        return list(
                object("id", 1, "content", "[CLS]", "special", true),
                object("id", 20, "content", "<ab>", "single_word", true, "lstrip", true, "rstrip", true),
                object("id", 21, "content", "<ab><", "normalized", true));
    }

    private static List<Object> many(Random random, Supplier<Object> one) {
        var made = new ArrayList<Object>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            made.add(one.get());
        }
        return made;
    }
}
