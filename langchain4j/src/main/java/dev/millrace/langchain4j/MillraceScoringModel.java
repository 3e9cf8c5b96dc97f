package dev.millrace.langchain4j;

import static dev.langchain4j.internal.ValidationUtils.ensureNotNull;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.model.scoring.ScoringModel;
import dev.langchain4j.model.scoring.request.ScoringRequest;
import dev.langchain4j.model.scoring.response.ScoringResponse;
import dev.millrace.pipelines.text.CrossEncoder;
import java.util.List;
import java.util.concurrent.CompletableFuture;

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
        List<String> texts = ensureNotNull(segments, "segments").stream()
                .map(segment -> ensureNotNull(segment, "segment").text())
                .toList();
        ensureNotNull(query, "query");
        return Response.from(EngineErrors.mapped(() -> encoder.scores(query, texts)));
    }

    /** Scores on threads of the engine. Cancelling the future stops it. */
    @Override
    public CompletableFuture<ScoringResponse> doScoreAsync(ScoringRequest request) {
        return EngineErrors.future(encoder.scoresMono(request.query(), request.documents())
                .map(scores -> ScoringResponse.builder().scores(scores).build()));
    }
}
