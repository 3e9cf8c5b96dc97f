package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.text.constraint.LazyTokenTable;
import dev.millrace.text.constraint.TokenTable;
import dev.millrace.text.json.Json;
import dev.millrace.text.json.JsonFile;
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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Encodes text to tokens and decodes tokens to text, as Hugging Face's {@code tokenizer.json} describes it: WordPiece,
 * byte pair encoding, Unigram or whole words, with their normalizers, pre-tokenizers, special tokens and decoders.
 * Immutable and thread-safe.
 */
public final class Tokenizer {
    /** The largest factor by which normalisation may lengthen a text, beside a few hundred thousand chars. */
    private static final int GROWTH = 32;

    /** The largest average number of chars of a token. */
    private static final int CHARS_OF_TOKEN = 256;

    private static final String ENCODE = "encoding";

    private final Parts parts;
    private final Lengths lengths;
    private final boolean adding;
    private final @Nullable Cancellation cancellation;

    /** The components that the file describes. */
    private record Parts(
            Normalization normalizer,
            Splitter splitter,
            Vocabulary vocabulary,
            AddedTokens added,
            TokenTemplate frame,
            Decoder decoder,
            TokenTexts texts,
            Map<String, Integer> ids,
            Set<Integer> special,
            LazyTokenTable table) {}

    private Tokenizer(Parts parts, Lengths lengths, boolean adding, @Nullable Cancellation cancellation) {
        this.parts = parts;
        this.lengths = lengths;
        this.adding = adding;
        this.cancellation = cancellation;
    }

    /** Reads a {@code tokenizer.json}. */
    public static Tokenizer read(Path file) {
        String name = "tokenizer " + ApiBoundary.requireArgument(file, "file");
        return ApiBoundary.guarded(name, () -> of(JsonFile.read(file, name)));
    }

    /** Creates a tokenizer from the content of a {@code tokenizer.json}. */
    public static Tokenizer of(byte[] content) {
        ApiBoundary.requireArgument(content, "content");
        return ApiBoundary.guarded("tokenizer", () -> of(Json.parse(content, "tokenizer")));
    }

    private static Tokenizer of(Json file) {
        Normalization normalizer = Normalizers.of(file.get("normalizer"));
        Vocabulary vocabulary = Vocabularies.of(file.get("model"));
        List<Json> descriptions = file.get("added_tokens").elements();
        var added = new AddedTokens(
                descriptions, normalizer, vocabulary.ids(), Budget.of(descriptions.size(), GROWTH, null));
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
        var parts = new Parts(
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
        return new Tokenizer(parts, Lengths.of(file.get("truncation"), file.get("padding")), true, null);
    }

    private Tokenizer with(Lengths other) {
        return new Tokenizer(parts, other, adding, cancellation);
    }

    /** Returns this tokenizer with truncation of encodings to so many tokens, special tokens included; 0 for none. */
    public Tokenizer cutTo(int tokens) {
        return with(lengths.cutTo(ApiBoundary.count(tokens, "tokens")));
    }

    /** Returns this tokenizer with padding to so many tokens; 0 for the length of the longest encoding of a batch. */
    public Tokenizer paddedTo(int tokens) {
        return with(lengths.paddedTo(ApiBoundary.count(tokens, "tokens")));
    }

    /** Returns this tokenizer with padding of batches by that token. */
    public Tokenizer paddedWith(String token) {
        return with(lengths.paddedWith(new TextToken(id(token), token, 0, 0)));
    }

    /** Returns this tokenizer without truncation and padding. {@link #paddedTo} pads again with the file's token. */
    public Tokenizer unbounded() {
        return with(lengths.unbounded());
    }

    /** Returns this tokenizer without padding. Texts are still cut. */
    public Tokenizer unpadded() {
        return with(lengths.unpadded());
    }

    /** Returns this tokenizer without the special tokens at the beginning and end of texts. */
    public Tokenizer withoutMarks() {
        return new Tokenizer(parts, lengths, false, cancellation);
    }

    /** Returns this tokenizer with a cancellation; calls fail with CANCELLED soon after it is cancelled. */
    public Tokenizer cancelledBy(Cancellation switchedBy) {
        return new Tokenizer(parts, lengths, adding, ApiBoundary.requireArgument(switchedBy, "cancellation"));
    }

    /** Whether it pads the texts of a batch to one length. */
    boolean pads() {
        return lengths.pads() && lengths.pad() != null;
    }

    /** Encodes a text, padded only where the length is fixed. */
    public Encoding encode(String text) {
        ApiBoundary.requireArgument(text, "text");
        return ApiBoundary.guarded(
                ENCODE, () -> padded(List.of(encoding(text, null))).getFirst());
    }

    /** Encodes a pair of texts, like a question and a passage. */
    public Encoding encode(String text, String other) {
        ApiBoundary.requireArgument(text, "text");
        ApiBoundary.requireArgument(other, "other");
        return ApiBoundary.guarded(
                ENCODE, () -> padded(List.of(encoding(text, other))).getFirst());
    }

    /** Returns the tokens of a text without special tokens, truncation and padding. */
    public TextTokens tokens(String text) {
        ApiBoundary.requireArgument(text, "text");
        return ApiBoundary.guarded(
                ENCODE, () -> new TextTokens(tokens(text, Budget.of(text.length(), GROWTH, cancellation))));
    }

    /** Encodes tokens of a text without truncation and padding. */
    public Encoding encodeTokens(TextTokens text) {
        return placed(ApiBoundary.requireArgument(text, "text"), null);
    }

    /** Encodes tokens of a pair of texts without truncation and padding. */
    public Encoding encodeTokens(TextTokens text, TextTokens other) {
        return placed(ApiBoundary.requireArgument(text, "text"), ApiBoundary.requireArgument(other, "other"));
    }

    private Encoding placed(TextTokens text, @Nullable TextTokens other) {
        var budget = Budget.of(text.size() + (other == null ? 0L : other.size()), GROWTH, cancellation);
        return new Encoding(parts.frame.place(text.tokens(), other == null ? null : other.tokens(), adding, budget));
    }

    /** The number of special tokens that a text, or a pair of texts, gets. */
    public int specialTokens(boolean isPair) {
        return adding ? parts.frame.added(isPair) : 0;
    }

    /** The most tokens of an encoding, special tokens included; 0 for any number. */
    public int mostTokens() {
        return lengths.most();
    }

    /** The token that pads encodings; null if none is known. */
    public @Nullable PadToken padToken() {
        TextToken pad = lengths.pad();
        return pad == null ? null : new PadToken(pad.id(), pad.text(), lengths.padType(), lengths.padsLeft());
    }

    /** Encodes texts for one run, padded to the length of the longest where the tokenizer has a padding token. */
    public List<Encoding> encodeAll(List<String> texts) {
        return ApiBoundary.guarded(
                ENCODE,
                () -> padded(ApiBoundary.<String>all(texts, "texts").stream()
                        .map(text -> encoding(text, null))
                        .toList()));
    }

    /** Encodes a long text in parts of at most so many tokens and special tokens, which begin with whole words if they can. */
    public List<Encoding> parts(String text, int tokens) {
        ApiBoundary.requireArgument(text, "text");
        requireRoom(tokens, tokens);
        return ApiBoundary.guarded(ENCODE, () -> {
            var budget = Budget.of(text.length(), GROWTH, cancellation);
            List<TextToken> all = tokens(text, budget);
            var made = new ArrayList<Encoding>();
            int from = 0;
            do {
                int to = endOfPart(all, from, tokens);
                made.add(new Encoding(parts.frame.place(all.subList(from, to), null, adding, budget)));
                from = to;
            } while (from < all.size());
            return List.copyOf(made);
        });
    }

    private static int endOfPart(List<TextToken> all, int from, int tokens) {
        int most = Math.min(all.size(), from + tokens);
        int to = most;
        while (to < all.size()
                && to > from
                && all.get(to).word() == all.get(to - 1).word()) {
            to--;
        }
        return to == from ? most : to;
    }

    /**
     * Encodes a question with each part of a long passage.
     *
     * @param most the most tokens of an encoding, special tokens included
     * @param overlap the number of tokens that two parts in a row share
     */
    public List<Encoding> parts(String text, String other, int most, int overlap) {
        ApiBoundary.requireArgument(text, "text");
        ApiBoundary.requireArgument(other, "other");
        return ApiBoundary.guarded(ENCODE, () -> {
            var budget = Budget.of((long) text.length() + other.length(), GROWTH, cancellation);
            List<TextToken> first = tokens(text, budget);
            List<TextToken> second = tokens(other, budget);
            int room = most - first.size() - (adding ? parts.frame.added(true) : 0);
            requireRoom(room - ApiBoundary.count(overlap, "overlap"), most);
            var made = new ArrayList<Encoding>();
            int from = 0;
            int to;
            do {
                to = Math.min(second.size(), from + room);
                made.add(new Encoding(parts.frame.place(first, second.subList(from, to), adding, budget)));
                from += room - overlap;
            } while (to < second.size());
            return List.copyOf(made);
        });
    }

    private static void requireRoom(int room, int most) {
        if (room < 1) {
            throw EngineException.invalidArgument(
                    "parts of " + most + " tokens have no room for a token that the part before does not have");
        }
    }

    /** Pads encodings to the length of the longest where the tokenizer has a padding token. */
    List<Encoding> padded(List<Encoding> encodings) {
        return lengths.pad(encodings);
    }

    private Encoding encoding(String text, @Nullable String other) {
        long length = text.length() + (other == null ? 0L : other.length());
        var budget = Budget.of(length, GROWTH, cancellation);
        List<TextToken> first = tokens(text, budget);
        List<TextToken> second = other == null ? List.of() : tokens(other, budget);
        int marks = adding ? parts.frame.added(other != null) : 0;
        int[] kept = lengths.kept(first.size(), second.size(), marks);
        first = lengths.cut(first, kept[0]);
        second = lengths.cut(second, kept[1]);
        return new Encoding(parts.frame.place(first, other == null ? null : second, adding, budget));
    }

    private List<TextToken> tokens(String text, Budget budget) {
        var tokens = new ArrayList<TextToken>();
        int words = 0;
        for (AddedTokens.Part part : parts.added.inRaw(Aligned.of(text), budget)) {
            if (part.token() != null) {
                add(part.token(), part.text(), words++, tokens);
            } else {
                words = addNormalized(parts.normalizer.apply(part.text(), budget), words, tokens, budget);
            }
        }
        return parts.frame.trimmed(tokens);
    }

    /** Adds the tokens of a part of a text, and returns the number of words so far. */
    private int addNormalized(Aligned text, int before, List<TextToken> to, Budget budget) {
        int words = before;
        for (AddedTokens.Part part : parts.added.inNormalized(text, budget)) {
            if (part.token() != null) {
                add(part.token(), part.text(), words++, to);
            } else {
                for (Aligned word : parts.splitter.split(part.text(), budget)) {
                    int index = words++;
                    int first = to.size();
                    parts.vocabulary.tokens(word, to, budget);
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

    /** Decodes tokens to text, without special tokens; ids without a token are skipped. */
    public String decode(long... ids) {
        ApiBoundary.requireArgument(ids, "ids");
        return ApiBoundary.guarded("decoding", () -> decoded(ids, false));
    }

    /** Decodes tokens to text, special tokens included; ids without a token are skipped. */
    public String decodeAll(long... ids) {
        ApiBoundary.requireArgument(ids, "ids");
        return ApiBoundary.guarded("decoding", () -> decoded(ids, true));
    }

    private String decoded(long[] ids, boolean withSpecial) {
        var budget = Budget.of(ids.length, CHARS_OF_TOKEN, cancellation);
        var tokens = new ArrayList<String>(ids.length);
        long length = 0;
        for (long id : ids) {
            String text = parts.texts.get(id);
            if (text != null && (withSpecial || !parts.special.contains((int) id))) {
                length += text.length();
                budget.spend(text.length() + 1L);
                budget.requireLength(length);
                tokens.add(text);
            }
        }
        return String.join("", parts.decoder.apply(tokens, budget));
    }

    /** Returns the tokens that text consists of, with their bytes; throws if the tokenizer joins tokens in another way. */
    TokenTable table() {
        return parts.table.get();
    }

    /** Returns the id of a token; throws where there is none. */
    public int id(String token) {
        Integer id = parts.ids.get(ApiBoundary.requireArgument(token, "token"));
        if (id == null) {
            throw EngineException.invalidArgument("the vocabulary has no token '" + token + "'");
        }
        return id;
    }

    /** Whether there is a token of this text. */
    public boolean has(String token) {
        return parts.ids.containsKey(ApiBoundary.requireArgument(token, "token"));
    }

    /** Returns the token of an id, or null where there is none. */
    public @Nullable String token(int id) {
        return parts.texts.get(id);
    }

    /**
     * Returns the bytes of UTF-8 that a token stands for within a text; a token may be a part of a character. Empty where there
     * is none.
     */
    public byte[] bytes(long id) {
        String text = parts.texts.get(id);
        return text == null ? new byte[0] : parts.table.bytes(id, text);
    }

    /** The number of tokens. */
    public int size() {
        return parts.texts.size();
    }
}
