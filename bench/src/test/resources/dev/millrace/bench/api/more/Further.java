package more;

public final class Further {
    private Further() {}

    public static String name() {
        return "further";
    }
}
