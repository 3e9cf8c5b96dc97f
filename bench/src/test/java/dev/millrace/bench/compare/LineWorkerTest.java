package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.bench.compare.LineWorker.End;
import dev.millrace.bench.compare.LineWorker.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class LineWorkerTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    /** Repeats what it is told with what it was started with, and does what it is told otherwise. */
    static final class Parrot {
        private Parrot() {}

        public static void main(String[] arguments) throws Exception {
            LineWorker.serve((line, stages) -> {
                System.out.print("noise");
                stages.accept("about to " + line);
                if (line.equals("die")) {
                    Runtime.getRuntime().halt(3);
                }
                if (line.equals("hang")) {
                    new CountDownLatch(1).await();
                }
                return arguments[0] + line;
            });
        }
    }

    @AutoClose
    private final LineWorker worker = new LineWorker(Parrot.class, List.of("-Xmx64m"), List.of("say "));

    @Test
    void linesAreAnsweredWhateverElseIsPrinted() throws Exception {
        assertThat(worker.ask("Straße", LONG)).isEqualTo(new Reply(End.ANSWERED, "say Straße"));
        assertThat(worker.ask("", LONG)).isEqualTo(new Reply(End.ANSWERED, "say "));
    }

    @Test
    void anotherProcessFollowsOneThatDies() throws Exception {
        assertThat(worker.ask("die", LONG)).isEqualTo(new Reply(End.CRASHED, "about to die"));
        assertThat(worker.ask("again", LONG)).isEqualTo(new Reply(End.ANSWERED, "say again"));
    }

    @Test
    void anotherProcessFollowsOneThatHangs() throws Exception {
        worker.ask("start", LONG);
        assertThat(worker.ask("hang", Duration.ofSeconds(2))).isEqualTo(new Reply(End.CUT_OFF, "about to hang"));
        assertThat(worker.ask("again", LONG)).isEqualTo(new Reply(End.ANSWERED, "say again"));
    }
}
