package dev.millrace.pipelines.text;

import dev.millrace.graph.EngineException;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import dev.millrace.text.TextBatches;
import dev.millrace.text.Tokenizer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * Orders passages by their relevance to a query, by a model that reads both together (a cross-encoder). The first output,
 * {@code [texts, 1]}, is the score. Pairs of similar length run together.
 */
public final class CrossEncoder {
    private final Stage<Query, List<Double>> stage;

    /** A query and passages. */
    private record Query(String query, List<String> passages) {}

    private CrossEncoder(Stage<Query, List<Double>> stage) {
        this.stage = stage;
    }

    /** Creates a cross-encoder. The tokenizer cuts pairs that are too long, and pads. */
    public static CrossEncoder of(Inference inference, Tokenizer tokenizer) {
        Tokenizer unpadded = StageArguments.require(tokenizer, "tokenizer").unpadded();
        return new CrossEncoder(new TextHead<Query, Double, List<Double>>(
                TextBatches.of(inference, tokenizer),
                query -> query.passages().stream()
                        .map(passage -> unpadded.encode(query.query(), passage))
                        .toList(),
                (text, outputs, index) -> {
                    float[] logits = Logits.ofText(outputs.get(0), index);
                    if (logits.length != 1) {
                        throw EngineException.invalidArgument("a cross-encoder has one score for each pair, and this"
                                + " model has " + logits.length);
                    }
                    return (double) logits[0];
                },
                (query, encodings, scores) -> List.copyOf(scores)));
    }

    /** Returns the score of each passage, in the order of the passages. */
    public List<Double> scores(String query, List<String> passages) {
        return stage.run(query(query, passages));
    }

    /** Returns the score of each passage, computed on subscription. */
    public Mono<List<Double>> scoresMono(String query, List<String> passages) {
        return stage.mono(query(query, passages));
    }

    /** Returns the passages, the most relevant one first. */
    public List<RankedText> rank(String query, List<String> passages) {
        return ranked(passages, scores(query, passages));
    }

    /** Returns the passages, the most relevant one first, computed on subscription. */
    public Mono<List<RankedText>> rankMono(String query, List<String> passages) {
        Query asked = query(query, passages);
        return stage.mono(asked).map(scores -> ranked(asked.passages(), scores));
    }

    private static Query query(String query, List<String> passages) {
        return new Query(StageArguments.require(query, "query"), StageArguments.all(passages, "passages"));
    }

    private static List<RankedText> ranked(List<String> passages, List<Double> scores) {
        var ranked = new ArrayList<RankedText>();
        for (int i = 0; i < passages.size(); i++) {
            ranked.add(new RankedText(i, passages.get(i), scores.get(i)));
        }
        ranked.sort(Comparator.comparingDouble(RankedText::score).reversed());
        return List.copyOf(ranked);
    }
}
