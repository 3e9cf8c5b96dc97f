package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.generate.BeamOptions;
import dev.millrace.session.generate.EncoderDecoder;
import dev.millrace.session.generate.Generation;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.ScoredGeneration;
import dev.millrace.session.generate.TokenUsage;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A model that turns a text into another one, such as a translation or a summary: an encoder and a decoder with their tokenizer,
 * opened from the folder that Optimum writes (T5, Marian, BART, mBART, M2M100, NLLB). Any number of threads and streams may use an
 * instance. Closing closes the sessions, and the engine if {@link #open(Path)} created it.
 */
public final class TextToTextModel implements AutoCloseable {
    private final OpenedModel opened;
    private final Tokenizer tokenizer;
    private final @Nullable Integer from;
    private final @Nullable Integer to;

    /** A text of a search with its score. */
    public record ScoredText(Completion completion, double score) {}

    private TextToTextModel(OpenedModel opened, Tokenizer tokenizer, @Nullable Integer from, @Nullable Integer to) {
        this.opened = opened;
        this.tokenizer = tokenizer;
        this.from = from;
        this.to = to;
    }

    /**
     * Opens a model in an engine of its own.
     *
     * @param folder has the tokenizer, config.json, and the models in itself or in its folder onnx
     */
    public static TextToTextModel open(Path folder) {
        return OpenedModel.open(folder, (own, engine) -> open(own, engine, folder, SessionOptions.defaults()));
    }

    /** Opens a model in an engine that stays the caller's to close. */
    public static TextToTextModel open(Engine engine, Path folder) {
        return open(engine, folder, SessionOptions.defaults());
    }

    /** Opens a model in an engine that stays the caller's to close. */
    public static TextToTextModel open(Engine engine, Path folder, SessionOptions options) {
        return open(
                null,
                ApiBoundary.requireArgument(engine, "engine"),
                folder,
                ApiBoundary.requireArgument(options, "options"));
    }

    private static TextToTextModel open(@Nullable Engine own, Engine engine, Path folder, SessionOptions options) {
        EncoderDecoderFolder files = EncoderDecoderFolder.read(folder);
        files.start();
        Tokenizer tokenizer = Tokenizer.read(files.tokenizer()).unbounded();
        Integer to = files.token("forced_bos_token_id");
        return new TextToTextModel(OpenedModel.open(own, engine, files, options), tokenizer, null, to);
    }

    /** Returns this model for texts of a language, named as its token is: {@code eng_Latn}, {@code en_XX} or {@code en}. */
    public TextToTextModel from(String language) {
        return new TextToTextModel(opened, tokenizer, token(language), to);
    }

    /** Returns this model for results in a language, named as its token is. */
    public TextToTextModel to(String language) {
        return new TextToTextModel(opened, tokenizer, from, token(language));
    }

    private int token(String language) {
        String quoted = "__" + ApiBoundary.requireArgument(language, "language") + "__";
        return tokenizer.id(tokenizer.has(quoted) ? quoted : language);
    }

    public Tokenizer tokenizer() {
        return tokenizer;
    }

    /** The encoder and the decoder. */
    public EncoderDecoder model() {
        return opened.model();
    }

    /** The options that the model's files recommend, with the tokens that end a text. */
    public GenerationOptions defaults() {
        return opened.folder().defaults();
    }

    /** The search that the model's files recommend; null if they recommend none. */
    public @Nullable BeamOptions search() {
        return opened.folder().search();
    }

    /** Returns the result of a text, computed on this thread as the model's files recommend. */
    public Completion run(String text) {
        BeamOptions beams = search();
        return beams == null
                ? run(text, defaults())
                : best(text, defaults(), beams).getFirst().completion();
    }

    /** Returns the result of a text, generated token by token on this thread. */
    public Completion run(String text, GenerationOptions options) {
        Request request = request(text, options);
        return request.completion(request.model().run(request.input(), start(), options));
    }

    /** Searches for the best results of a text on this thread; the best one is the first. */
    public List<ScoredText> best(String text, GenerationOptions options, BeamOptions beams) {
        Request request = request(text, options);
        return request.texts(request.model().beams(request.input(), start(), options, beams));
    }

    /** Returns the result of a text as the model's files recommend, computed when it is subscribed to. */
    public Mono<Completion> mono(String text) {
        BeamOptions beams = search();
        return beams == null
                ? mono(text, defaults())
                : bestMono(text, defaults(), beams).map(all -> all.getFirst().completion());
    }

    /** Returns the result of a text, generated token by token when it is subscribed to. */
    public Mono<Completion> mono(String text, GenerationOptions options) {
        Request request = request(text, options);
        return request.model().mono(request.input(), start(), options).map(request::completion);
    }

    /** Searches for the best results of a text when it is subscribed to. */
    public Mono<List<ScoredText>> bestMono(String text, GenerationOptions options, BeamOptions beams) {
        Request request = request(text, options);
        return request.model()
                .beamsMono(request.input(), start(), options, beams)
                .map(request::texts);
    }

    /** Returns pieces of the result as they are generated, none of them empty; each token is generated on demand. */
    public Flux<String> flux(String text, GenerationOptions options) {
        Request request = request(text, options);
        return Flux.defer(() -> {
            var detokenizer = new Detokenizer(tokenizer);
            return request.model()
                    .flux(request.input(), start(), options)
                    .map(token -> {
                        String piece = detokenizer.add(token.id());
                        return token.ending() == null ? piece : piece + detokenizer.end();
                    })
                    .filter(piece -> !piece.isEmpty());
        });
    }

    private long[] start() {
        return new long[] {opened.folder().start()};
    }

    /** A text as the encoder reads it, and the model with the rules of its result. */
    private record Request(EncoderDecoder model, Inputs input, int length, Tokenizer tokenizer) {
        Completion completion(Generation generation) {
            int tokens = generation.tokens().size();
            return new Completion(
                    tokenizer.decode(generation.ids()), new TokenUsage(length, 0, tokens), generation.ending());
        }

        List<ScoredText> texts(List<ScoredGeneration> generations) {
            return generations.stream()
                    .map(each -> new ScoredText(completion(each.generation()), each.score()))
                    .toList();
        }
    }

    private Request request(String text, GenerationOptions options) {
        Cancellation cancellation =
                ApiBoundary.requireArgument(options, "options").cancellation();
        Tokenizer stopped = cancellation == null ? tokenizer : tokenizer.cancelledBy(cancellation);
        long[] ids = ids(stopped, ApiBoundary.requireArgument(text, "text"));
        Inputs input = Inputs.of("input_ids", Tensor.copyOf(ids, 1, ids.length));
        if (opened.model().encoder().inputs().stream()
                .anyMatch(info -> info.name().equals("attention_mask"))) {
            long[] ones = new long[ids.length];
            Arrays.fill(ones, 1);
            input.and("attention_mask", Tensor.copyOf(ones, 1, ones.length));
        }
        EncoderDecoderFolder files = opened.folder();
        // the length of the files counts the token that the decoder begins with
        int least = Math.min(files.value("min_length").count(0) - 1, options.maxTokens() - 1);
        var rules =
                new TextRules(to, files.token("forced_eos_token_id"), options.maxTokens(), least, options.stopTokens());
        return new Request(opened.model().with(rules), input, ids.length, tokenizer);
    }

    /** Returns the tokens of a text, between that of its language and that of its end if a language was named. */
    private long[] ids(Tokenizer stopped, String text) {
        if (from == null) {
            return stopped.encode(text).ids();
        }
        Long end = opened.folder().ends().stream()
                .findFirst()
                .orElseThrow(() -> EngineException.invalidArgument(
                        "the model's files name no eos_token_id, which ends a text behind the token of its language"));
        long[] words = stopped.withoutMarks().encode(text).ids();
        long[] all = new long[words.length + 2];
        all[0] = from;
        System.arraycopy(words, 0, all, 1, words.length);
        all[words.length + 1] = end;
        return all;
    }

    @Override
    public void close() {
        opened.close();
    }
}
