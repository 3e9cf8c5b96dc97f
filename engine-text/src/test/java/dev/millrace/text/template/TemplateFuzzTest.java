package dev.millrace.text.template;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Mutated templates render, or end with an {@link EngineException}. {@code -Dmillrace.template.seed} repeats a run. */
@Tag("fuzz")
class TemplateFuzzTest {
    private static final long SEED = Long.getLong("millrace.template.seed", 20240709);
    private static final int TIMES = 20_000;

    private static final List<String> TEMPLATES = JinjaTableTest.cases()
            .map(line -> Rendered.json(line).elements().getFirst().text())
            .toList();
    private static final Map<String, @Nullable Object> VARIABLES = JinjaTableTest.VARIABLES;

    /** Tokens of all templates, from which mutants are built. */
    private static final List<String> PIECES =
            TEMPLATES.stream().flatMap(template -> pieces(template).stream()).collect(Collectors.toSet()).stream()
                    .sorted()
                    .toList();

    private static List<String> pieces(String template) {
        return List.of(template.split("(?<=\\W)|(?=\\W)"));
    }

    @Test
    @Timeout(120)
    void mutantsRenderOrAreRefused() {
        var random = new SplittableRandom(SEED);
        int rendered = 0;
        for (int i = 0; i < TIMES; i++) {
            String mutant = mutant(random);
            try {
                Template.parse(mutant).render(VARIABLES, new Rendering(20_000, Rendered.CLOCK, () -> {}));
                rendered++;
            } catch (EngineException e) {
                assertThat(e.status()).as(mutant).isEqualTo(Status.INVALID_ARGUMENT);
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                throw new AssertionError("attempt " + i + " of seed " + SEED + ": " + mutant, e);
            }
        }
        assertThat(rendered).isBetween(TIMES / 20, TIMES * 19 / 20);
    }

    private static String mutant(SplittableRandom random) {
        var pieces = new ArrayList<>(pieces(any(TEMPLATES, random)));
        for (int left = random.nextInt(1, 4); left > 0; left--) {
            int at = random.nextInt(pieces.size());
            switch (random.nextInt(5)) {
                case 0 -> pieces.set(at, any(PIECES, random));
                case 1 -> pieces.add(at, any(PIECES, random));
                case 2 -> pieces.add(at, pieces.get(random.nextInt(pieces.size())));
                case 3 -> pieces.addAll(at, pieces(any(TEMPLATES, random)));
                default -> {
                    if (pieces.size() > 1) {
                        pieces.remove(at);
                    }
                }
            }
        }
        return String.join("", pieces);
    }

    private static String any(List<String> all, SplittableRandom random) {
        return all.get(random.nextInt(all.size()));
    }
}
