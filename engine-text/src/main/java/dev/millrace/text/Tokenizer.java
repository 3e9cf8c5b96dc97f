package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.text.after.Decoders;
import dev.millrace.text.after.Frame;
import dev.millrace.text.json.Json;
import dev.millrace.text.normal.Aligned;
import dev.millrace.text.normal.Normalizers;
import dev.millrace.text.split.Splitter;
import dev.millrace.text.split.Splitters;
import dev.millrace.text.vocabulary.Token;
import dev.millrace.text.vocabulary.Vocabularies;
import dev.millrace.text.vocabulary.Vocabulary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Text to tokens and back, as Hugging Face's {@code tokenizer.json} describes it: WordPiece, byte pair encoding, Unigram or
 * whole words, with their normalizers, pre-tokenizers, marks and decoders. It never changes, and any number of threads may
 * use it.
 */
public final class Tokenizer {
    private final Parts parts;
    private final Lengths lengths;
    private final boolean adding;

    /** What the file describes. */
    private record Parts(
            UnaryOperator<Aligned> normalizer,
            Splitter splitter,
            Vocabulary vocabulary,
            AddedTokens added,
            Frame frame,
            UnaryOperator<List<String>> decoder,
            Map<Integer, String> texts,
            Map<String, Integer> ids,
            Set<Integer> special) {}

    private Tokenizer(Parts parts, Lengths lengths, boolean adding) {
        this.parts = parts;
        this.lengths = lengths;
        this.adding = adding;
    }

    /** Reads a {@code tokenizer.json}. */
    public static Tokenizer read(Path file) {
        try {
            return of(Json.parse(Files.readAllBytes(file), file.toString()));
        } catch (IOException e) {
            Status status = Files.exists(file) ? Status.FAIL : Status.NO_SUCH_FILE;
            throw new EngineException(status, "tokenizer " + file + " cannot be read: " + e, e);
        }
    }

    /** The tokenizer that the content of a {@code tokenizer.json} describes. */
    public static Tokenizer of(byte[] content) {
        return of(Json.parse(content, "tokenizer"));
    }

    private static Tokenizer of(Json file) {
        UnaryOperator<Aligned> normalizer = Normalizers.of(file.get("normalizer"));
        Vocabulary vocabulary = Vocabularies.of(file.get("model"));
        var added = new AddedTokens(file.get("added_tokens").elements(), normalizer, vocabulary.ids());
        var ids = new HashMap<>(vocabulary.ids());
        var special = new HashSet<Integer>();
        for (AddedTokens.Added token : added.all()) {
            ids.put(token.text(), token.id());
            if (token.special()) {
                special.add(token.id());
            }
        }
        var texts = new HashMap<Integer, String>();
        ids.forEach((text, id) -> texts.put(id, text));
        var parts = new Parts(
                normalizer,
                Splitters.of(file.get("pre_tokenizer")),
                vocabulary,
                added,
                Frame.of(file.get("post_processor")),
                Decoders.of(file.get("decoder")),
                Map.copyOf(texts),
                Map.copyOf(ids),
                Set.copyOf(special));
        return new Tokenizer(parts, Lengths.of(file.get("truncation"), file.get("padding")), true);
    }

    /** The same, which cuts encodings off at so many tokens, marks included; 0 for never. */
    public Tokenizer cutTo(int tokens) {
        return new Tokenizer(parts, lengths.cutTo(tokens), adding);
    }

    /** The same, which pads to so many tokens; 0 for as many as the longest of a batch has. */
    public Tokenizer paddedTo(int tokens) {
        return new Tokenizer(parts, lengths.paddedTo(tokens), adding);
    }

    /** The same, which pads batches with that token. */
    public Tokenizer paddedWith(String token) {
        return new Tokenizer(parts, lengths.paddedWith(new Token(id(token), token, 0, 0)), adding);
    }

    /** The same, which neither cuts nor pads, whatever its file says. */
    public Tokenizer unbounded() {
        return new Tokenizer(parts, Lengths.NONE, adding);
    }

    /** The same, which adds no marks of begin and end. */
    public Tokenizer withoutMarks() {
        return new Tokenizer(parts, lengths, false);
    }

    /** A text, padded only where the length is fixed. */
    public Encoding encode(String text) {
        return lengths.pad(List.of(encoding(text, null))).getFirst();
    }

    /** A text and another that belongs to it, like a question and a passage. */
    public Encoding encode(String text, String other) {
        return lengths.pad(List.of(encoding(text, other))).getFirst();
    }

    /** Texts for one run, all as long as the longest where the tokenizer knows how to pad. */
    public List<Encoding> encodeAll(List<String> texts) {
        return lengths.pad(texts.stream().map(text -> encoding(text, null)).toList());
    }

    private Encoding encoding(String text, @Nullable String other) {
        List<Token> first = tokens(text);
        List<Token> second = other == null ? List.of() : tokens(other);
        int marks = adding ? parts.frame.added(other != null) : 0;
        int[] kept = lengths.kept(first.size(), second.size(), marks);
        first = lengths.cut(first, kept[0]);
        second = lengths.cut(second, kept[1]);
        return new Encoding(parts.frame.place(first, other == null ? null : second, adding), 0, false);
    }

    private List<Token> tokens(String text) {
        var tokens = new ArrayList<Token>();
        for (AddedTokens.Part part : parts.added.inRaw(Aligned.of(text))) {
            if (part.token() != null) {
                add(part.token(), part.text(), tokens);
            } else {
                addNormalized(parts.normalizer.apply(part.text()), tokens);
            }
        }
        return parts.frame.trimmed(tokens);
    }

    private void addNormalized(Aligned text, List<Token> to) {
        for (AddedTokens.Part part : parts.added.inNormalized(text)) {
            if (part.token() != null) {
                add(part.token(), part.text(), to);
            } else {
                for (Aligned word : parts.splitter.split(part.text())) {
                    parts.vocabulary.tokens(word, to);
                }
            }
        }
    }

    private static void add(AddedTokens.Added token, Aligned at, List<Token> to) {
        to.add(new Token(token.id(), at.text(), at.start(0), at.end(at.length() - 1)));
    }

    /** The text of tokens, without the marks of the format. */
    public String decode(long... ids) {
        var tokens = new ArrayList<String>(ids.length);
        for (long id : ids) {
            String text = parts.texts.get(Math.toIntExact(id));
            if (text != null && !parts.special.contains((int) id)) {
                tokens.add(text);
            }
        }
        return String.join("", parts.decoder.apply(tokens));
    }

    /** The number of a token; refused where there is none. */
    public int id(String token) {
        Integer id = parts.ids.get(token);
        if (id == null) {
            throw EngineException.invalidArgument("the vocabulary has no token '" + token + "'");
        }
        return id;
    }

    /** Whether there is a token of this text. */
    public boolean has(String token) {
        return parts.ids.containsKey(token);
    }

    /** The token of a number, or null where there is none. */
    public @Nullable String token(int id) {
        return parts.texts.get(id);
    }

    /** How many tokens there are. */
    public int size() {
        return parts.texts.size();
    }
}
