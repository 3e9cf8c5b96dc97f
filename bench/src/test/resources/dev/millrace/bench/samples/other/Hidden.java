package samples.other;

/** A class whose methods only subclasses see. */
public class Hidden {
    protected Hidden() {}

    protected String word() {
        return "protected";
    }

    protected static String fixed() {
        return "static";
    }
}
