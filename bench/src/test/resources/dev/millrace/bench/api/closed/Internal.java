package closed;

public class Internal {
    public void unseen() {}
}
