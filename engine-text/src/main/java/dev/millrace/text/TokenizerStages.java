package dev.millrace.text;

import dev.millrace.scheduler.Cancellation;
import dev.millrace.text.constraint.LazyTokenTable;
import dev.millrace.text.json.Json;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Aligned;
import dev.millrace.text.normalizer.Normalization;
import dev.millrace.text.normalizer.Normalizers;
import dev.millrace.text.postprocessor.Decoder;
import dev.millrace.text.postprocessor.Decoders;
import dev.millrace.text.postprocessor.TokenBytes;
import dev.millrace.text.postprocessor.TokenTemplate;
import dev.millrace.text.pretokenizer.Splitter;
import dev.millrace.text.pretokenizer.Splitters;
import dev.millrace.text.vocabulary.TextToken;
import dev.millrace.text.vocabulary.TokenTexts;
import dev.millrace.text.vocabulary.Vocabularies;
import dev.millrace.text.vocabulary.Vocabulary;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The stages that a {@code tokenizer.json} describes: from a text to its tokens, and from tokens to their text. */
record TokenizerStages(
        Normalization normalizer,
        Splitter splitter,
        Vocabulary vocabulary,
        AddedTokens added,
        TokenTemplate frame,
        Decoder decoder,
        TokenTexts texts,
        Map<String, Integer> ids,
        Set<Integer> special,
        LazyTokenTable table) {
    /** The largest factor by which normalisation may lengthen a text, beside a few hundred thousand chars. */
    private static final int GROWTH = 32;

    /** The largest average number of chars of a token. */
    private static final int CHARS_OF_TOKEN = 256;

    static TokenizerStages of(Json file) {
        Normalization normalizer = Normalizers.of(file.get("normalizer"));
        Vocabulary vocabulary = Vocabularies.of(file.get("model"));
        List<Json> descriptions = file.get("added_tokens").elements();
        var added = new AddedTokens(descriptions, normalizer, vocabulary.ids(), budget(descriptions.size(), null));
        var ids = new LinkedHashMap<>(vocabulary.ids());
        var special = new HashSet<Integer>();
        List<String> pieces = vocabulary.pieces();
        for (AddedTokens.Added token : added.all()) {
            ids.put(token.text(), token.id());
            if (token.special()) {
                special.add(token.id());
                for (int i = 0; i < pieces.size(); i++) {
                    if (pieces.get(i).equals(token.text())) {
                        special.add(i);
                    }
                }
            }
        }
        return new TokenizerStages(
                normalizer,
                Splitters.of(file.get("pre_tokenizer")),
                vocabulary,
                added,
                TokenTemplate.of(file.get("post_processor")),
                Decoders.of(file.get("decoder")),
                TokenTexts.of(ids, pieces),
                Collections.unmodifiableMap(ids),
                Set.copyOf(special),
                new LazyTokenTable(
                        Collections.unmodifiableMap(ids),
                        added.all().stream().map(AddedTokens.Added::id).collect(Collectors.toUnmodifiableSet()),
                        new TokenBytes(file.get("decoder"))));
    }

    /** Returns the budget of encoding so many chars. */
    static Budget budget(long chars, @Nullable Cancellation cancellation) {
        return Budget.of(chars, GROWTH, cancellation);
    }

    /** Returns the tokens of a text without the special ones at its beginning and end. */
    List<TextToken> tokens(String text, Budget budget) {
        var tokens = new ArrayList<TextToken>();
        int words = 0;
        for (AddedTokens.Part part : added.inRaw(Aligned.of(text), budget)) {
            if (part.token() != null) {
                add(part.token(), part.text(), words++, tokens);
            } else {
                words = addNormalized(normalizer.apply(part.text(), budget), words, tokens, budget);
            }
        }
        return frame.trimmed(tokens);
    }

    /** Adds the tokens of a part of a text, and returns the number of words so far. */
    private int addNormalized(Aligned text, int before, List<TextToken> to, Budget budget) {
        int words = before;
        for (AddedTokens.Part part : added.inNormalized(text, budget)) {
            if (part.token() != null) {
                add(part.token(), part.text(), words++, to);
            } else {
                for (Aligned word : splitter.split(part.text(), budget)) {
                    int index = words++;
                    int first = to.size();
                    vocabulary.tokens(word, to, budget);
                    to.subList(first, to.size()).replaceAll(token -> token.inWord(index));
                    budget.requireLength(to.size());
                }
            }
        }
        return words;
    }

    private static void add(AddedTokens.Added token, Aligned at, int word, List<TextToken> to) {
        to.add(new TextToken(token.id(), at.text(), at.start(0), at.end(at.length() - 1), word));
    }

    /** Returns the text of tokens; ids without a token are skipped. */
    String decoded(long[] ids, boolean withSpecial, @Nullable Cancellation cancellation) {
        var budget = Budget.of(ids.length, CHARS_OF_TOKEN, cancellation);
        var tokens = new ArrayList<String>(ids.length);
        long length = 0;
        for (long id : ids) {
            String text = texts.get(id);
            if (text != null && (withSpecial || !special.contains((int) id))) {
                length += text.length();
                budget.spend(text.length() + 1L);
                budget.requireLength(length);
                tokens.add(text);
            }
        }
        return String.join("", decoder.apply(tokens, budget));
    }
}
