package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.generate.EncoderDecoder;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.text.speech.LogMel;
import dev.millrace.text.speech.SpeechRules;
import dev.millrace.text.speech.SpeechTokens;
import dev.millrace.text.speech.WavFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A model that writes speech down (Whisper), opened from the folder that Optimum writes. Speech is read in windows of 30 seconds.
 * Any number of threads and streams may use an instance. Closing closes the sessions, and the engine if {@link #open(Path)} created
 * it.
 */
public final class SpeechModel implements AutoCloseable {
    private final OpenedModel opened;
    private final Tokenizer tokenizer;
    private final SpeechTokens tokens;
    private final ValueInfo input;
    private final ElementType type;
    private final int bins;
    private final int positions;

    private SpeechModel(OpenedModel opened, Tokenizer tokenizer) {
        this.opened = opened;
        this.tokenizer = tokenizer;
        this.tokens = SpeechFolder.tokens(opened.folder(), tokenizer);
        this.input = opened.model().encoder().inputs().getFirst();
        this.type = input.type() instanceof ValueType.TensorType tensor && tensor.element() != null
                ? tensor.element()
                : ElementType.FLOAT;
        this.bins = SpeechFolder.bins(opened.folder());
        this.positions = SpeechFolder.positions(opened.folder());
    }

    /**
     * Opens a model in an engine of its own.
     *
     * @param folder has the tokenizer, config.json, generation_config.json, and the models in itself or in its folder onnx
     */
    public static SpeechModel open(Path folder) {
        return OpenedModel.open(folder, (own, engine) -> open(own, engine, folder, SessionOptions.defaults()));
    }

    /** Opens a model in an engine that stays the caller's to close. */
    public static SpeechModel open(Engine engine, Path folder) {
        return open(engine, folder, SessionOptions.defaults());
    }

    /** Opens a model in an engine that stays the caller's to close. */
    public static SpeechModel open(Engine engine, Path folder, SessionOptions options) {
        return open(
                null,
                ApiBoundary.requireArgument(engine, "engine"),
                folder,
                ApiBoundary.requireArgument(options, "options"));
    }

    private static SpeechModel open(@Nullable Engine own, Engine engine, Path folder, SessionOptions options) {
        EncoderDecoderFolder files = EncoderDecoderFolder.read(folder);
        Tokenizer tokenizer = Tokenizer.read(files.tokenizer());
        SpeechFolder.tokens(files, tokenizer);
        return new SpeechModel(OpenedModel.open(own, engine, files, options), tokenizer);
    }

    /** Returns the samples of a WAV file of 16,000 samples per second. Several channels become their mean. */
    public static float[] wav(Path file) {
        ApiBoundary.requireArgument(file, "file");
        return ApiBoundary.guarded("WAV file " + file, () -> {
            try {
                return WavFile.samples(Files.readAllBytes(file), LogMel.RATE);
            } catch (IOException e) {
                throw new EngineException(Status.FAIL, "WAV file " + file + " cannot be read: " + e, e);
            }
        });
    }

    public Tokenizer tokenizer() {
        return tokenizer;
    }

    /** The codes of the languages that the model knows; empty for a model of one language. */
    public Set<String> languages() {
        return tokens.languages().keySet();
    }

    /** The options of tokens that the model's files recommend. */
    public GenerationOptions defaults() {
        return opened.folder().defaults();
    }

    /**
     * Writes speech down on this thread.
     *
     * @param samples from -1 to 1, 16,000 per second
     */
    public Transcript transcribe(float[] samples, SpeechOptions options) {
        SpeechWindows windows = windows(samples, options);
        var all = new ArrayList<SpeechWindows.Heard>();
        for (SpeechWindows.Place place = windows.first(); place != null; ) {
            SpeechWindows.Heard heard = windows.parsed(place, windows.generation(place));
            all.add(heard);
            place = heard.next();
        }
        return windows.transcript(all);
    }

    /** Writes speech down when it is subscribed to. */
    public Mono<Transcript> mono(float[] samples, SpeechOptions options) {
        return Mono.defer(() -> {
            SpeechWindows windows = windows(samples, options);
            return heard(windows).collectList().map(windows::transcript);
        });
    }

    /** Returns the segments of speech as they are written down. */
    public Flux<Transcript.Segment> flux(float[] samples, SpeechOptions options) {
        return Flux.defer(() -> heard(windows(samples, options))).concatMapIterable(SpeechWindows.Heard::segments);
    }

    private static Flux<SpeechWindows.Heard> heard(SpeechWindows windows) {
        return Mono.justOrEmpty(windows.first())
                .flatMap(windows::heard)
                .expand(heard -> heard.next() == null ? Mono.empty() : windows.heard(heard.next()));
    }

    private SpeechWindows windows(float[] samples, SpeechOptions options) {
        ApiBoundary.requireArgument(samples, "samples");
        String language = ApiBoundary.requireArgument(options, "options").language();
        if (language != null && !tokens.languages().containsKey(language)) {
            throw EngineException.invalidArgument("the model does not know the language '" + language + "'; it knows "
                    + tokens.languages().keySet());
        }
        return new SpeechWindows(this, LogMel.of(samples, bins), samples.length, options);
    }

    SpeechTokens tokens() {
        return tokens;
    }

    /** Returns the inputs of the encoder. */
    Inputs inputs(float[] features) {
        Tensor tensor = Tensor.allocate(type, Shape.of(1, bins, LogMel.WINDOW));
        Elements.write(type, tensor.segment(), 0, features, 0, features.length);
        return Inputs.of(input.name(), tensor);
    }

    /** Returns the model with the rules of a window. */
    EncoderDecoder model(SpeechRules rules) {
        return opened.model().with(rules);
    }

    /** Returns the options of a window behind tokens, with as many tokens as the decoder sees at most. */
    GenerationOptions generation(SpeechOptions options, int prompt) {
        GenerationOptions wanted = options.generation() == null ? defaults() : options.generation();
        GenerationOptions.Builder builder = wanted.toBuilder()
                .maxTokens(Math.max(1, Math.min(wanted.maxTokens(), positions - prompt)))
                .stopTokens(tokens.end());
        return options.fallback() == null
                ? builder.build()
                : builder.logprobs(0).build();
    }

    String text(long[] ids) {
        return tokenizer.decode(ids);
    }

    /** Returns the code of a language's token. */
    @Nullable
    String language(long id) {
        return tokens.languages().entrySet().stream()
                .filter(entry -> entry.getValue() == id)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    @Override
    public void close() {
        opened.close();
    }
}
