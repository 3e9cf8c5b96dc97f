package dev.millrace.scheduler.kernel;

/** Does nothing. A class, since lambdas of an interface that has to be initialised cannot be linked ahead of time. */
final class NoLaunch implements Launch {
    static final NoLaunch INSTANCE = new NoLaunch();

    private NoLaunch() {}

    @Override
    public void run(LaunchContext context) {
        // there is nothing to do
    }
}
