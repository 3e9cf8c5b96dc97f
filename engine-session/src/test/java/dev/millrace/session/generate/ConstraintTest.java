package dev.millrace.session.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Engine;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Generations whose answers are bound to one sequence of tokens, any prefix of which is an answer from a length on. */
class ConstraintTest {
    private final Engine engine = Engine.create();
    private final List<Long> prompts = new ArrayList<>();
    private Session session;
    private Generator generator;

    @BeforeEach
    void prepare() {
        session = engine.session(SummingModel.bytes(1), SessionOptions.defaults());
        generator = Generator.of(session);
    }

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private TokenConstraint only(int least, long... answer) {
        return prompt -> {
            for (long id : prompt) {
                prompts.add(id);
            }
            return new TokenConstraint.State() {
                private int at;

                @Override
                public BitSet allowed() {
                    var next = new BitSet();
                    if (at < answer.length) {
                        next.set((int) answer[at]);
                    }
                    return next;
                }

                @Override
                public boolean mayEnd() {
                    return at >= least;
                }

                @Override
                public void accept(long token) {
                    assertThat(token).isEqualTo(answer[at++]);
                }
            };
        };
    }

    private static GenerationOptions how(TokenConstraint constraint, long... stops) {
        return GenerationOptions.builder()
                .constraint(constraint)
                .stopTokens(stops)
                .build();
    }

    @Test
    void theAnswerIsAnAllowedOneAndEndsWhereNothingMayFollow() {
        Generation all = generator.run(new long[] {1, 2}, how(only(3, 4, 9, 4)));
        assertThat(all.ids()).containsExactly(4, 9, 4);
        assertThat(all.ending()).isEqualTo(Ending.COMPLETE);
        assertThat(prompts).containsExactly(1L, 2L);
        assertThat(generator.mono(new long[] {1, 2}, how(only(3, 4, 9, 4))).block())
                .isEqualTo(all);
    }

    @Test
    void aStopTokenMayFollowOnlyWhereTheAnswerMayEnd() {
        long[] said = SummingModel.said(1, 1, 2);
        // the model wants to stop at once
        Generation later = generator.run(new long[] {1, 2}, how(only(3, 4, 9, 4), said));
        assertThat(later.ids()).containsExactly(4, 9, 4);
        Generation atOnce = generator.run(new long[] {1, 2}, how(only(0, 4, 9, 4), said));
        assertThat(atOnce.ids()).containsExactly(said);
        assertThat(atOnce.ending()).isEqualTo(Ending.STOP_TOKEN);
    }

    @Test
    void aStopTokenIsNoPartOfAnAnswer() {
        assertThatThrownBy(() -> generator.run(new long[] {1, 2}, how(only(3, 4, 9, 4), 9)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("behind 3 tokens, the 1 of the answer included, the constraint allows none");
    }

    @Test
    void drawnTokensAreAllowedOnes() {
        GenerationOptions drawn = how(only(3, 4, 9, 4)).toBuilder()
                .temperature(5)
                .topP(0.9)
                .repetitionPenalty(2)
                .frequencyPenalty(1)
                .build();
        for (int seed = 0; seed < 20; seed++) {
            GenerationOptions one = drawn.toBuilder().seed(seed).build();
            assertThat(generator.run(new long[] {1, 2}, one).ids()).containsExactly(4, 9, 4);
        }
    }

    @Test
    void theOnlyAllowedTokenMayRepeatAPhrase() {
        GenerationOptions options = how(only(3, 4, 4, 4, 4)).toBuilder()
                .noRepeatNgram(2)
                .temperature(1)
                .build();
        assertThat(generator.run(new long[] {1, 2}, options).ids()).containsExactly(4, 4, 4, 4);
    }

    @Test
    void aLimitOfTokensCutsTheAnswer() {
        Generation cut = generator.run(
                new long[] {1, 2},
                how(only(3, 4, 9, 4)).toBuilder().maxTokens(2).build());
        assertThat(cut.ids()).containsExactly(4, 9);
        assertThat(cut.ending()).isEqualTo(Ending.MAX_TOKENS);
    }

    @Test
    void tokensThatTheModelDoesNotHaveCannotFollow() {
        assertThatThrownBy(() -> generator.run(new long[] {1}, how(only(1, 40))))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("none of the 11 tokens");
    }
}
