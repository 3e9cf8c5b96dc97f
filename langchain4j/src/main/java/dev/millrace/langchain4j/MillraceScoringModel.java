package dev.millrace.langchain4j;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.model.scoring.ScoringModel;
import dev.millrace.pipelines.text.CrossEncoder;
import java.util.List;

/** A scoring model. Pairs of similar length share runs of the model. The cross-encoder stays the caller's. Thread-safe. */
public final class MillraceScoringModel implements ScoringModel {
    private final CrossEncoder encoder;

    private MillraceScoringModel(CrossEncoder encoder) {
        this.encoder = encoder;
    }

    /** Creates a model of a cross-encoder, whose logits are the scores. */
    public static MillraceScoringModel of(CrossEncoder encoder) {
        return new MillraceScoringModel(encoder);
    }

    @Override
    public Response<List<Double>> scoreAll(List<TextSegment> segments, String query) {
        return Response.from(
                encoder.scores(query, segments.stream().map(TextSegment::text).toList()));
    }
}
