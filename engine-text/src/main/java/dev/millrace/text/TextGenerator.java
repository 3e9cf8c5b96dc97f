package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Inference;
import dev.millrace.session.generate.BeamOptions;
import dev.millrace.session.generate.Ending;
import dev.millrace.session.generate.Generation;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import dev.millrace.session.generate.ScoredGeneration;
import dev.millrace.session.generate.Token;
import dev.millrace.session.generate.TokenUsage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Generates text with a language model: a tokenizer encodes the prompt and decodes the tokens of a generator. The
 * inference is a session, or a session that is batched, replaceable or observed; it stays the caller's to close. Any number of
 * threads and streams may use an instance.
 */
public final class TextGenerator {
    private final Generator generator;
    private final Tokenizer tokenizer;
    private final List<String> stops;
    private final boolean heals;

    private TextGenerator(Generator generator, Tokenizer tokenizer, List<String> stops, boolean heals) {
        this.generator = generator;
        this.tokenizer = tokenizer;
        this.stops = List.copyOf(stops);
        this.heals = heals;
    }

    /**
     * Creates a generator for a model whose inputs and outputs have the names that exporters usually give them. Each text ends on the
     * session that answered when it began.
     */
    public static TextGenerator of(Inference inference, Tokenizer tokenizer) {
        return of(Generator.of(ApiBoundary.requireArgument(inference, "inference")), tokenizer);
    }

    /** Creates a generator. It ignores truncation and padding in the tokenizer's file. */
    public static TextGenerator of(Generator generator, Tokenizer tokenizer) {
        ApiBoundary.requireArgument(generator, "generator");
        return new TextGenerator(
                generator, ApiBoundary.requireArgument(tokenizer, "tokenizer").unbounded(), List.of(), false);
    }

    /** Returns this generator with further stop texts. The generated text ends before the first of them. */
    public TextGenerator stoppingAt(String... texts) {
        var all = new ArrayList<>(stops);
        for (String text :
                ApiBoundary.<String>all(Arrays.asList(ApiBoundary.requireArgument(texts, "texts")), "texts")) {
            if (text.isEmpty()) {
                throw EngineException.invalidArgument("a text to stop at is empty, which every text has");
            }
            all.add(text);
        }
        return new TextGenerator(generator, tokenizer, all, heals);
    }

    /**
     * Returns this generator with token healing: the last token of a prompt is taken back, and the first generated tokens
     * repeat its text, which is not returned. So the model may choose a longer token where the prompt ends within a word. A
     * token that is no text, or that ends a character of several tokens, stays.
     */
    public TextGenerator healing() {
        tokenizer.table();
        return new TextGenerator(generator, tokenizer, stops, true);
    }

    /** Returns pieces of text as they are generated, none of them empty; each token is generated on demand. */
    public Flux<String> flux(String prompt, GenerationOptions options) {
        return pieces(prompt, options).map(Piece::text).filter(text -> !text.isEmpty());
    }

    /** Returns the parts of a text with the numbers of tokens so far; the last one has the ending and may have no text. */
    public Flux<ChatDelta> deltas(String prompt, GenerationOptions options) {
        return pieces(prompt, options).transformDeferred(pieces -> pieces.handle(new DeltaParts(text -> text)));
    }

    /** Returns the whole text, which is generated on subscription. */
    public Mono<Completion> mono(String prompt, GenerationOptions options) {
        return pieces(prompt, options).collectList().map(TextGenerator::completion);
    }

    private static Completion completion(List<Piece> pieces) {
        String text = pieces.stream().map(Piece::text).collect(Collectors.joining());
        Piece last = pieces.getLast();
        return new Completion(text, last.usage(), Objects.requireNonNull(last.ending()));
    }

    /** Generates the whole text on this thread. */
    public Completion run(String prompt, GenerationOptions options) {
        return run(prompt, options, piece -> {});
    }

    /**
     * Generates the whole text on this thread.
     *
     * @param heard receives pieces of the text as they are generated, none of them empty
     */
    public Completion run(String prompt, GenerationOptions options, Consumer<String> heard) {
        ApiBoundary.requireArgument(heard, "heard");
        Prompt begun = begun(prompt, options);
        Saying said = saying(begun);
        var pieces = new ArrayList<Piece>();
        generator.run(begun.ids(), begun.options(), token -> {
            Piece piece = said.piece(token);
            pieces.add(piece);
            if (!piece.text().isEmpty()) {
                heard.accept(piece.text());
            }
            return piece.ending() == null;
        });
        return completion(pieces);
    }

    /**
     * Searches for the most likely texts on this thread. The search does not know the stop texts: they end the texts that it
     * returns.
     *
     * @param options those of the texts; nothing is drawn, so the temperature is 0
     * @return the best texts, the best one first
     */
    public List<ScoredCompletion> beams(String prompt, GenerationOptions options, BeamOptions beams) {
        Prompt begun = begun(prompt, options);
        return texts(begun, generator.beams(begun.ids(), begun.options(), beams));
    }

    /** Searches for the most likely texts on subscription. */
    public Mono<List<ScoredCompletion>> beamsMono(String prompt, GenerationOptions options, BeamOptions beams) {
        Prompt begun = begun(prompt, options);
        return generator.beamsMono(begun.ids(), begun.options(), beams).map(found -> texts(begun, found));
    }

    private List<ScoredCompletion> texts(Prompt begun, List<ScoredGeneration> found) {
        return found.stream()
                .map(each -> new ScoredCompletion(text(begun, each.generation()), each.score()))
                .toList();
    }

    private Completion text(Prompt begun, Generation generation) {
        Saying said = saying(begun);
        var pieces = new ArrayList<Piece>();
        List<Token> tokens = generation.tokens();
        for (int i = 0; i < tokens.size() && (i == 0 || pieces.getLast().ending() == null); i++) {
            Token token = tokens.get(i);
            Ending ending = i == tokens.size() - 1 ? generation.ending() : null;
            pieces.add(said.piece(new Token(token.id(), token.index(), ending, token.likelihood(), token.usage())));
        }
        return completion(pieces);
    }

    /**
     * The text that a token completes, which may be empty.
     *
     * @param ending the reason why no text follows, which may be a stop text
     */
    record Piece(String text, Token token, @Nullable Ending ending) {
        TokenUsage usage() {
            return token.usage();
        }
    }

    Flux<Piece> pieces(String prompt, GenerationOptions options) {
        Prompt begun = begun(prompt, options);
        // refuses a prompt that is too long before anybody subscribes
        Flux<Token> tokens = generator.flux(begun.ids(), begun.options());
        return Flux.defer(() -> {
            Saying said = saying(begun);
            return tokens.map(said::piece).takeUntil(piece -> piece.ending() != null);
        });
    }

    private Prompt begun(String prompt, GenerationOptions options) {
        long[] ids = ids(prompt, options);
        return heals ? Prompt.healed(tokenizer, ids, options) : new Prompt(ids, options, 0);
    }

    private Saying saying(Prompt begun) {
        return new Saying(new Detokenizer(tokenizer, begun.ids()), new StopTexts(stops), begun.repeated());
    }

    private long[] ids(String prompt, GenerationOptions options) {
        Cancellation cancellation = ApiBoundary.requireArgument(options, "how").cancellation();
        Tokenizer stopped = cancellation == null ? tokenizer : tokenizer.cancelledBy(cancellation);
        return stopped.encode(ApiBoundary.requireArgument(prompt, "prompt")).ids();
    }

    /** The state of one generation. */
    private static final class Saying {
        private final Detokenizer detokenizer;
        private final StopTexts stops;
        /** The number of chars that repeat the end of the prompt and are still to come. */
        private int repeated;

        Saying(Detokenizer detokenizer, StopTexts stops, int repeated) {
            this.detokenizer = detokenizer;
            this.stops = stops;
            this.repeated = repeated;
        }

        Piece piece(Token token) {
            Ending ending = token.ending();
            String text = stops.add(fresh(detokenizer.add(token.id())));
            if (ending != null && !stops.isFound()) {
                text += stops.add(fresh(detokenizer.end()));
                text += stops.end();
            }
            return new Piece(text, token, stops.isFound() ? Ending.STOPPED : ending);
        }

        private String fresh(String text) {
            int left = Math.min(repeated, text.length());
            repeated -= left;
            return text.substring(left);
        }
    }
}
