package dev.millrace.bench.agree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.agree.MutantTrial.End;
import dev.millrace.bench.agree.MutantTrial.Result;
import dev.millrace.bench.compare.LineWorker;
import dev.millrace.codegen.testing.TestScale;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Models that were changed, and still run optimised, as they stand and by ONNX Runtime, give ONNX Runtime's answers.
 *
 * <ul>
 *   <li>{@code -Dmillrace.fire.times=N}: N times all of them
 *   <li>{@code -Dmillrace.fire.seed=N}: other ones
 *   <li>{@code -Dmillrace.fire.only=N}: the one of this number and no other
 * </ul>
 */
@Tag("fuzz")
@Tag("reference")
@Tag("slow")
class MutantsAgreeIT {
    private static final long SEED = Long.getLong("millrace.fire.seed", 7);
    private static final long ONLY = Long.getLong("millrace.fire.only", -1);
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int MOST_SHOWN = 20;

    private final Departures departures = Departures.read("mutant-departures.txt");
    private final Map<String, Integer> ends = new TreeMap<>();

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(Mutation.class)
    void mutantsThatAllRunAgree(Mutation mutation) throws Exception {
        mutation.all();
        var found = new ArrayList<String>();
        List<String> options = List.of("-Xmx1g", "-XX:+UseSerialGC");
        List<String> arguments = List.of(mutation.name(), "" + SEED, folder.toString());
        try (var worker = new LineWorker(MutantWorker.class, options, arguments)) {
            for (long number : numbers(mutation)) {
                LineWorker.Reply reply = worker.ask("" + number, LIMIT);
                if (reply.end() == LineWorker.End.ANSWERED) {
                    judge(number, Result.ofLine(reply.text()), found);
                } else {
                    String how = reply.end() == LineWorker.End.CUT_OFF ? "cut off " : "crashed ";
                    count(how + (reply.text().startsWith(ModelCheck.THERE) ? "there" : "here"));
                    System.out.println(how + "number " + number + ", " + reply.text());
                }
            }
        }
        System.out.println("mutants of " + mutation + " by seed " + SEED + ": " + ends);
        List<String> shown = found.subList(0, Math.min(MOST_SHOWN, found.size()));
        assertThat(found)
                .as("%d differ:%n%s", found.size(), String.join("\n", shown))
                .isEmpty();
        assertThat(ends).doesNotContainKey("crashed here");
    }

    private static long[] numbers(Mutation mutation) {
        return ONLY >= 0
                ? new long[] {ONLY}
                : LongStream.range(0, TestScale.times("millrace.fire.times", mutation.count()))
                        .toArray();
    }

    private void judge(long number, Result result, List<String> found) {
        String text = "number " + number + ", " + result.text();
        boolean isKnown = result.end() == End.DIFFERENT && departures.explain(text);
        count(isKnown ? "known" : result.end().toString());
        if (result.end() == End.DIFFERENT && !isKnown) {
            found.add(text);
            System.out.println(text);
        }
    }

    private void count(String end) {
        ends.merge(end, 1, Integer::sum);
    }
}
