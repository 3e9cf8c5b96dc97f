package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunResult;
import dev.millrace.session.ValueInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Computes embeddings of texts: a tokenizer, then an inference, then pooling. The inference is a session, or a session that is
 * batched, replaceable or observed; it stays the caller's to close. Thread-safe.
 */
public final class Embedder {
    private static final String EMBED = "embedding";

    /** The number of texts that are encoded before they are grouped into runs. */
    private static final int WINDOW = 1024;

    private final Inference inference;
    private final Tokenizer tokenizer;
    private final TextBatches batches;
    private final Vectors vectors;
    /** The most tokens of a part of a text, without special tokens; 0 if texts have one part. */
    private final int partTokens;

    /** The way from a model's outputs to vectors. */
    private record Vectors(Pooling pooling, boolean normalising, String output) {
        List<float[]> of(Inputs inputs, Outputs outputs) {
            Tensor hidden = outputs.get(output);
            float[][] vectors = hidden.shape().rank() == 2
                    ? rows(hidden)
                    : pooling.pool(hidden, inputs.input(TextBatches.MASK) instanceof Tensor mask ? mask : null);
            return List.of(vectors);
        }

        float[] normalised(float[] vector) {
            double norm = normalising ? Math.sqrt(dot(vector, vector)) : 0;
            for (int i = 0; norm > 0 && i < vector.length; i++) {
                vector[i] = (float) (vector[i] / norm);
            }
            return vector;
        }
    }

    private Embedder(Inference inference, Tokenizer tokenizer, Vectors vectors, int partTokens) {
        this.inference = inference;
        this.tokenizer = tokenizer;
        this.batches = TextBatches.of(inference, tokenizer);
        this.vectors = vectors;
        this.partTokens = partTokens;
    }

    /**
     * Creates an embedder that takes the mean over the tokens of the model's first output, normalised to length one.
     */
    public static Embedder of(Inference inference, Tokenizer tokenizer) {
        String output = ApiBoundary.requireArgument(inference, "inference")
                .outputs()
                .getFirst()
                .name();
        ApiBoundary.requireArgument(tokenizer, "tokenizer");
        return new Embedder(inference, tokenizer, new Vectors(Pooling.MEAN, true, output), 0);
    }

    private Embedder with(Vectors other) {
        return new Embedder(inference, tokenizer, other, partTokens);
    }

    /** Returns this embedder with another pooling. */
    public Embedder pooling(Pooling other) {
        ApiBoundary.requireArgument(other, "pooling");
        return with(new Vectors(other, vectors.normalising(), vectors.output()));
    }

    /** Returns this embedder with normalisation of vectors to length one switched on or off. */
    public Embedder normalising(boolean brings) {
        return with(new Vectors(vectors.pooling(), brings, vectors.output()));
    }

    /** Returns this embedder for another output: vectors of tokens, or vectors of texts, which are not pooled. */
    public Embedder output(String name) {
        List<String> names = inference.outputs().stream().map(ValueInfo::name).toList();
        if (!names.contains(name)) {
            throw EngineException.invalidArgument("Invalid output name: " + name + "; there are " + names);
        }
        return with(new Vectors(vectors.pooling(), vectors.normalising(), name));
    }

    /**
     * Returns this embedder for long texts: a text is embedded in parts of at most so many tokens, special tokens not counted,
     * which begin with whole words. Its vector is the mean of the parts' vectors, weighted by their tokens. The truncation of the
     * tokenizer does not apply.
     */
    public Embedder inParts(int tokens) {
        if (tokens < 1) {
            throw EngineException.invalidArgument("a part of a text has at least one token, not " + tokens);
        }
        return new Embedder(inference, tokenizer.cutTo(0), vectors, tokens);
    }

    /** Returns the vector of a text. */
    public float[] embed(String text) {
        return embedAll(List.of(ApiBoundary.requireArgument(text, "text"))).getFirst();
    }

    /**
     * Returns the vectors of texts in their order. Many texts are several consecutive runs of texts of similar length;
     * the number of texts in a run depends on their lengths.
     */
    public List<float[]> embedAll(List<String> texts) {
        List<String> all = ApiBoundary.all(texts, "texts");
        var made = new ArrayList<float[]>(all.size());
        for (int from = 0; from < all.size(); from += WINDOW) {
            List<String> window = all.subList(from, Math.min(all.size(), from + WINDOW));
            made.addAll(ApiBoundary.guarded(EMBED, () -> window(window)));
        }
        return List.copyOf(made);
    }

    private List<float[]> window(List<String> texts) {
        Parted parted = parted(texts);
        return joined(parted, batches.run(parted.parts(), this::read));
    }

    private List<float[]> read(List<Encoding> texts, Inputs inputs, Outputs outputs) {
        return vectors.of(inputs, outputs);
    }

    /**
     * The parts of texts, one after the other.
     *
     * @param counts the number of parts of each text
     */
    private record Parted(List<Encoding> parts, int[] counts) {}

    private Parted parted(List<String> texts) {
        Tokenizer each = tokenizer.unpadded();
        var parts = new ArrayList<Encoding>();
        int[] counts = new int[texts.size()];
        for (int i = 0; i < counts.length; i++) {
            List<Encoding> ofText =
                    partTokens == 0 ? List.of(each.encode(texts.get(i))) : each.parts(texts.get(i), partTokens);
            parts.addAll(ofText);
            counts[i] = ofText.size();
        }
        return new Parted(parts, counts);
    }

    private List<float[]> joined(Parted parted, List<float[]> ofParts) {
        var made = new ArrayList<float[]>(parted.counts().length);
        int at = 0;
        for (int count : parted.counts()) {
            float[] vector = count == 1
                    ? ofParts.get(at)
                    : mean(parted.parts().subList(at, at + count), ofParts.subList(at, at + count));
            made.add(vectors.normalised(vector));
            at += count;
        }
        return made;
    }

    private static float[] mean(List<Encoding> parts, List<float[]> ofParts) {
        double[] sum = new double[ofParts.getFirst().length];
        double weights = 0;
        for (int i = 0; i < parts.size(); i++) {
            int weight = parts.get(i).textTokens();
            float[] vector = ofParts.get(i);
            for (int j = 0; j < sum.length; j++) {
                sum[j] += (double) weight * vector[j];
            }
            weights += weight;
        }
        float[] mean = new float[sum.length];
        for (int j = 0; j < sum.length; j++) {
            mean[j] = (float) (sum[j] / Math.max(weights, 1));
        }
        return mean;
    }

    /** Returns the vector of a text, from runs that begin on subscription. */
    public Mono<float[]> mono(String text) {
        ApiBoundary.requireArgument(text, "text");
        return Mono.defer(() -> {
            if (partTokens > 0) {
                Parted parted = ApiBoundary.guarded(EMBED, () -> parted(List.of(text)));
                return batches.mono(parted.parts(), this::read)
                        .map(made -> joined(parted, made).getFirst());
            }
            Inputs inputs = inputs(List.of(text));
            return inference.mono(inputs).map(first(inputs));
        });
    }

    private Function<Outputs, float[]> first(Inputs inputs) {
        return outputs -> {
            try (outputs) {
                return vectors.normalised(vectors.of(inputs, outputs).getFirst());
            }
        };
    }

    /** Returns a vector for each text, in their order, with the demand of {@link Inference#flux}. */
    public Flux<float[]> flux(Publisher<String> texts) {
        Flux<String> all = Flux.from(ApiBoundary.requireArgument(texts, "texts"));
        return partTokens > 0
                ? all.flatMapSequential(this::mono, inference.concurrency(), 1)
                : inference.results(all.map(text -> inputs(List.of(text)))).map(this::vector);
    }

    private float[] vector(RunResult result) {
        return first(result.request()).apply(result.orThrow());
    }

    /** Returns the model's inputs for texts, each of them as one part. */
    public Inputs inputs(List<String> texts) {
        return ApiBoundary.guarded(EMBED, () -> {
            List<Encoding> encodings = tokenizer.encodeAll(texts);
            if (encodings.isEmpty()) {
                throw EngineException.invalidArgument("the argument 'texts' is empty");
            }
            return batches.inputs(encodings);
        });
    }

    private static float[][] rows(Tensor vectors) {
        Shape shape = vectors.shape();
        float[] all = vectors.floats();
        float[][] rows = new float[(int) shape.dim(0)][];
        int width = (int) shape.dim(1);
        Arrays.setAll(rows, i -> Arrays.copyOfRange(all, i * width, (i + 1) * width));
        return rows;
    }

    /** Returns the dot product, which for vectors of length one is the cosine similarity, from -1 to 1. */
    public static double dot(float[] a, float[] b) {
        if (ApiBoundary.requireArgument(a, "a").length != ApiBoundary.requireArgument(b, "b").length) {
            throw EngineException.invalidArgument(
                    "vectors of " + a.length + " and " + b.length + " numbers have no dot product");
        }
        double sum = 0;
        for (int i = 0; i < a.length; i++) {
            sum += (double) a[i] * b[i];
        }
        return sum;
    }
}
