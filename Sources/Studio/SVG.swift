import Basics

public enum SVG {
  /// - Parameter description: what the picture shows, for those who do not see it.
  public static func document(
    width: Int, height: Int, title: String, description: String = "", style: String,
    _ body: [String]
  ) -> String {
    let size = #"width="\#(width)" height="\#(height)" viewBox="0 0 \#(width) \#(height)""#
    let head: [String] = [
      #"<svg xmlns="http://www.w3.org/2000/svg" \#(size) role="img">"#,
      "<title>\(escaped(title))</title>",
      description.isEmpty ? "" : "<desc>\(escaped(description))</desc>",
      "<style>\n\(usualStyle)\n\(style)\n</style>",
      #"<rect width="\#(width)" height="\#(height)" fill="white"/>"#,
    ]
    return (head.filter { !$0.isEmpty } + body + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private static let usualStyle = """
    text { font: 11px 'DejaVu Sans', Verdana, 'Liberation Sans', sans-serif; fill: #55555c; }
    .head { font-size: 16px; fill: #1d1d1f; }
    .middle { text-anchor: middle; } .end { text-anchor: end; }
    .grid { stroke: #e4e4e8; } .base { stroke: #8e8e93; }
    """

  public static func line(
    _ style: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double
  ) -> String {
    #"<line class="\#(style)" x1="\#(pixels(x1))" y1="\#(pixels(y1))" "#
      + #"x2="\#(pixels(x2))" y2="\#(pixels(y2))"/>"#
  }

  public static func rectangle(
    _ style: String, _ x: Double, _ y: Double, width: Double, height: Double
  ) -> String {
    #"<rect class="\#(style)" x="\#(pixels(x))" y="\#(pixels(y))" "#
      + #"width="\#(pixels(width))" height="\#(pixels(height))"/>"#
  }

  /// A text whose baseline begins at the place, or has its middle or end there, as the style says.
  public static func text(
    _ text: String, _ x: Double, _ y: Double, _ style: String? = nil
  ) -> String {
    let style = style.map { #" class="\#($0)""# } ?? ""
    return #"<text\#(style) x="\#(pixels(x))" y="\#(pixels(y))">\#(escaped(text))</text>"#
  }

  public static func pixels(_ number: Double) -> String { number.text(decimals: 1) }

  /// The text escaped for XML. A character that XML cannot hold becomes a replacement character.
  public static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "\t", "\n", "\r": " "
      case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
      default: String(scalar)
      }
    }.joined()
  }
}
