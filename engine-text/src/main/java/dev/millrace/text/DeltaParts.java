package dev.millrace.text;

import dev.millrace.session.generate.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.UnaryOperator;
import reactor.core.publisher.SynchronousSink;

/** Turns the pieces of one generation into parts of an answer. A piece without text joins the next part. */
final class DeltaParts implements BiConsumer<TextGenerator.Piece, SynchronousSink<ChatDelta>> {
    private final UnaryOperator<String> shown;
    private final List<Token> tokens = new ArrayList<>();

    /** @param shown returns what is shown of the text of a piece */
    DeltaParts(UnaryOperator<String> shown) {
        this.shown = shown;
    }

    @Override
    public void accept(TextGenerator.Piece piece, SynchronousSink<ChatDelta> sink) {
        tokens.add(piece.token());
        String text = shown.apply(piece.text());
        if (!text.isEmpty() || piece.ending() != null) {
            sink.next(new ChatDelta(text, piece.usage(), piece.ending(), tokens));
            tokens.clear();
        }
    }
}
