package dev.millrace.session.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.State;
import dev.millrace.session.StateOptions;
import dev.millrace.session.StatefulSession;
import dev.millrace.session.state.OpenSequence;
import dev.millrace.session.stream.Receiver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DecodeBatchLeaveTest {
    private static final int[] PROMPT = {3, 1, 4};
    private static final int TEXTS = 2;

    /** A caller that has the last token may close the session, and counts on no memory after that. */
    @Test
    void sharedCachesAreFreeWhenTheLastTextHasLeftWithItsToken() {
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build());
                Session session = engine.session(
                        SmallDecoderModel.bytes(SmallDecoderModel.Form.WITH_ROOM, 7), SessionOptions.defaults())) {
            DecoderSignature signature = DecoderSignature.of(session);
            StatefulSession sequences =
                    session.stateful(StateOptions.defaults(), signature.states().toArray(State[]::new));
            OpenSequence shared = (OpenSequence) sequences.begin();
            var batch = new DecodeBatch(signature, () -> shared, TEXTS);
            List<BatchedText> texts = new ArrayList<>();
            for (int i = 0; i < TEXTS; i++) {
                OpenSequence own = (OpenSequence) sequences.begin();
                int count = PROMPT.length;
                own.run(signature.steps().of(PROMPT, 0, count, count), RunOptions.defaults())
                        .close();
                texts.add(batch.join(own));
            }
            var left = new AtomicInteger();
            var room = new CompletableFuture<Integer>();
            for (BatchedText text : texts) {
                batch.step(text, 1, PROMPT.length, RunOptions.defaults(), new Receiver<>() {
                    @Override
                    public void answered(float[] logits) {
                        batch.leave(text, 0, left::incrementAndGet);
                        if (left.get() == TEXTS) {
                            room.complete(shared.read(CacheCopies::room));
                        }
                    }

                    @Override
                    public void failed(EngineException failure) {
                        room.completeExceptionally(failure);
                    }
                });
            }
            assertThat(room.join()).isZero();
        }
    }
}
