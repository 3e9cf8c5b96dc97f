package dev.millrace.langchain4j;

import static dev.langchain4j.internal.ValidationUtils.ensureNotNull;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.DimensionAwareEmbeddingModel;
import dev.langchain4j.model.embedding.request.EmbeddingInput;
import dev.langchain4j.model.embedding.request.EmbeddingRequest;
import dev.langchain4j.model.embedding.response.EmbeddingResponse;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.model.output.TokenUsage;
import dev.millrace.session.Engine;
import dev.millrace.session.Inference;
import dev.millrace.session.Session;
import dev.millrace.text.Embedder;
import dev.millrace.text.Tokenizer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;

/**
 * An embedding model. Segments of similar length share runs of the model. Closing closes the engine of {@link #open}, and nothing
 * of an embedder that was passed. Thread-safe.
 */
public final class MillraceEmbeddingModel extends DimensionAwareEmbeddingModel implements AutoCloseable {
    /** The most tokens of a text where the tokenizer's file does not say, as in LangChain4j's in-process models. */
    private static final int MOST_TOKENS = 512;

    private final Embedder embedder;
    private final @Nullable Tokenizer tokenizer;
    private final @Nullable Engine engine;
    private final @Nullable String name;

    private MillraceEmbeddingModel(
            Embedder embedder, @Nullable Tokenizer tokenizer, @Nullable Engine engine, @Nullable String name) {
        this.embedder = embedder;
        this.tokenizer = tokenizer;
        this.engine = engine;
        this.name = name;
    }

    /** Creates a model of an embedder, which may stand around a batched or replaceable session. */
    public static MillraceEmbeddingModel of(Embedder embedder) {
        return new MillraceEmbeddingModel(embedder, null, null, null);
    }

    /**
     * Creates an embedder whose vectors are those of LangChain4j's in-process models: the mean over the tokens, normalised. Longer texts are
     * cut to the length that the tokenizer's file says, or to 512 tokens.
     */
    public static Embedder embedder(Inference inference, Tokenizer tokenizer) {
        int most = tokenizer.mostTokens() > 0 ? tokenizer.mostTokens() : MOST_TOKENS;
        return Embedder.of(inference, tokenizer.unbounded().cutTo(most).paddedTo(0));
    }

    /**
     * Opens a model with an engine of its own.
     *
     * @param tokenizer the {@code tokenizer.json} of the model
     */
    public static MillraceEmbeddingModel open(Path model, Path tokenizer) {
        Tokenizer read = Tokenizer.read(tokenizer);
        Engine engine = Engine.create();
        try {
            Session session = engine.session(model);
            return new MillraceEmbeddingModel(embedder(session, read), read.unbounded(), engine, session.name());
        } catch (RuntimeException | Error e) {
            engine.close();
            throw e;
        }
    }

    /** Opens the model {@code model.onnx} of a folder with its {@code tokenizer.json}. */
    public static MillraceEmbeddingModel open(Path folder) {
        Path nested = folder.resolve("onnx/model.onnx");
        return open(
                Files.isRegularFile(nested) ? nested : folder.resolve("model.onnx"), folder.resolve("tokenizer.json"));
    }

    @Override
    public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
        List<String> texts = ensureNotNull(segments, "segments").stream()
                .map(segment -> ensureNotNull(segment, "segment").text())
                .toList();
        List<float[]> vectors = EngineErrors.mapped(() -> embedder.embedAll(texts));
        return Response.from(vectors.stream().map(Embedding::from).toList(), usage(texts));
    }

    /** Embeds on threads of the engine. Cancelling the future stops it. */
    @Override
    public CompletableFuture<EmbeddingResponse> doEmbedAsync(EmbeddingRequest request) {
        List<String> texts = request.inputs().stream().map(EmbeddingInput::text).toList();
        return EngineErrors.future(embedder.flux(Flux.fromIterable(texts))
                .map(Embedding::from)
                .collectList()
                .map(embeddings -> EmbeddingResponse.builder()
                        .embeddings(embeddings)
                        .modelName(modelName())
                        .tokenUsage(usage(texts))
                        .build()));
    }

    /** The name of the model in responses and for listeners: that of the session of {@link #open}. */
    @Override
    public String modelName() {
        return name == null ? super.modelName() : name;
    }

    private @Nullable TokenUsage usage(List<String> texts) {
        Tokenizer counting = tokenizer;
        return counting == null
                ? null
                : new TokenUsage(texts.stream()
                        .mapToInt(text -> counting.tokens(text).size() + counting.specialTokens(false))
                        .sum());
    }

    @Override
    public void close() {
        if (engine != null) {
            engine.close();
        }
    }
}
