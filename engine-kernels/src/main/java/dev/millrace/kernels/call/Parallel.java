package dev.millrace.kernels.call;

import java.util.function.IntConsumer;

/** Somewhere to run the parts of a piece of work. The caller brings it; this module has no threads. */
public interface Parallel {
    /** Runs everything on the thread of the caller. */
    Parallel NONE = new Parallel() {
        @Override
        public int width() {
            return 1;
        }

        @Override
        public void run(int tasks, IntConsumer task) {
            for (int i = 0; i < tasks; i++) {
                task.accept(i);
            }
        }
    };

    /** How many tasks can run at once. */
    int width();

    /**
     * Runs {@code task} with 0 to {@code tasks - 1}, each once, in any order, perhaps at once; returns when all are
     * done. What the caller wrote before is seen by the tasks, what they wrote by the caller after. A failure of a task
     * is thrown.
     */
    void run(int tasks, IntConsumer task);

    /** Throws where nobody wants the work any more. Loops around calls of kernels look at it, tasks are looked after. */
    default void checkCancelled() {}

    /** The thread of a task of this, for work that is cut no further. */
    default Parallel alone() {
        Parallel whole = this;
        return new Parallel() {
            @Override
            public int width() {
                return 1;
            }

            @Override
            public void run(int tasks, IntConsumer task) {
                NONE.run(tasks, number -> {
                    whole.checkCancelled();
                    task.accept(number);
                });
            }

            @Override
            public void checkCancelled() {
                whole.checkCancelled();
            }
        };
    }
}
