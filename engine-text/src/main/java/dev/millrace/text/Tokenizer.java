package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.text.constraint.TokenTable;
import dev.millrace.text.json.Json;
import dev.millrace.text.json.JsonFile;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.vocabulary.TextToken;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Encodes text to tokens and decodes tokens to text, as Hugging Face's {@code tokenizer.json} describes it: WordPiece,
 * byte pair encoding, Unigram or whole words, with their normalizers, pre-tokenizers, special tokens and decoders.
 * Immutable and thread-safe.
 */
public final class Tokenizer {
    private static final String ENCODE = "encoding";

    private final TokenizerStages stages;
    private final Lengths lengths;
    private final boolean adding;
    private final @Nullable Cancellation cancellation;

    private Tokenizer(TokenizerStages stages, Lengths lengths, boolean adding, @Nullable Cancellation cancellation) {
        this.stages = stages;
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
        var stages = TokenizerStages.of(file);
        return new Tokenizer(stages, Lengths.of(file.get("truncation"), file.get("padding")), true, null);
    }

    private Tokenizer with(Lengths other) {
        return new Tokenizer(stages, other, adding, cancellation);
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
        return new Tokenizer(stages, lengths, false, cancellation);
    }

    /** Returns this tokenizer with a cancellation; calls fail with CANCELLED soon after it is cancelled. */
    public Tokenizer cancelledBy(Cancellation switchedBy) {
        return new Tokenizer(stages, lengths, adding, ApiBoundary.requireArgument(switchedBy, "cancellation"));
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
                ENCODE, () -> new TextTokens(stages.tokens(text, TokenizerStages.budget(text.length(), cancellation))));
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
        Budget budget = TokenizerStages.budget(text.size() + (other == null ? 0L : other.size()), cancellation);
        return new Encoding(stages.frame().place(text.tokens(), other == null ? null : other.tokens(), adding, budget));
    }

    /** The number of special tokens that a text, or a pair of texts, gets. */
    public int specialTokens(boolean isPair) {
        return adding ? stages.frame().added(isPair) : 0;
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
            Budget budget = TokenizerStages.budget(text.length(), cancellation);
            List<TextToken> all = stages.tokens(text, budget);
            var made = new ArrayList<Encoding>();
            int from = 0;
            do {
                int to = endOfPart(all, from, tokens);
                made.add(new Encoding(stages.frame().place(all.subList(from, to), null, adding, budget)));
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
            Budget budget = TokenizerStages.budget((long) text.length() + other.length(), cancellation);
            List<TextToken> first = stages.tokens(text, budget);
            List<TextToken> second = stages.tokens(other, budget);
            int room = most - first.size() - (adding ? stages.frame().added(true) : 0);
            requireRoom(room - ApiBoundary.count(overlap, "overlap"), most);
            var made = new ArrayList<Encoding>();
            int from = 0;
            int to;
            do {
                to = Math.min(second.size(), from + room);
                made.add(new Encoding(stages.frame().place(first, second.subList(from, to), adding, budget)));
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
        Budget budget = TokenizerStages.budget(length, cancellation);
        List<TextToken> first = stages.tokens(text, budget);
        List<TextToken> second = other == null ? List.of() : stages.tokens(other, budget);
        int marks = adding ? stages.frame().added(other != null) : 0;
        int[] kept = lengths.kept(first.size(), second.size(), marks);
        first = lengths.cut(first, kept[0]);
        second = lengths.cut(second, kept[1]);
        return new Encoding(stages.frame().place(first, other == null ? null : second, adding, budget));
    }

    /** Decodes tokens to text, without special tokens; ids without a token are skipped. */
    public String decode(long... ids) {
        ApiBoundary.requireArgument(ids, "ids");
        return ApiBoundary.guarded("decoding", () -> stages.decoded(ids, false, cancellation));
    }

    /** Decodes tokens to text, special tokens included; ids without a token are skipped. */
    public String decodeAll(long... ids) {
        ApiBoundary.requireArgument(ids, "ids");
        return ApiBoundary.guarded("decoding", () -> stages.decoded(ids, true, cancellation));
    }

    /** Returns the tokens that text consists of, with their bytes; throws if the tokenizer joins tokens in another way. */
    TokenTable table() {
        return stages.table().get();
    }

    /** Returns the id of a token; throws where there is none. */
    public int id(String token) {
        Integer id = stages.ids().get(ApiBoundary.requireArgument(token, "token"));
        if (id == null) {
            throw EngineException.invalidArgument("the vocabulary has no token '" + token + "'");
        }
        return id;
    }

    /** Whether there is a token of this text. */
    public boolean has(String token) {
        return stages.ids().containsKey(ApiBoundary.requireArgument(token, "token"));
    }

    /** Returns the token of an id, or null where there is none. */
    public @Nullable String token(int id) {
        return stages.texts().get(id);
    }

    /**
     * Returns the bytes of UTF-8 that a token stands for within a text; a token may be a part of a character. Empty where there
     * is none.
     */
    public byte[] bytes(long id) {
        String text = stages.texts().get(id);
        return text == null ? new byte[0] : stages.table().bytes(id, text);
    }

    /** The number of tokens. */
    public int size() {
        return stages.texts().size();
    }
}
