import Glibc
import Hostile

/// The folder for the files of this process.
private let folder: String = {
  var template = Array("/tmp/clocksmith-fuzz-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { fatalError("no folder for the files") }
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}()

private let reader: Reader = {
  let name = getenv("CLOCKSMITH_READER").map { String(cString: $0) } ?? ""
  guard let reader = Reader(rawValue: name) else {
    fatalError("CLOCKSMITH_READER is none of \(Reader.allCases.map(\.rawValue))")
  }
  return reader
}()

/// libFuzzer calls this with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  reader.read(Array(UnsafeBufferPointer(start: start, count: count)), in: folder)
  return 0
}

/// libFuzzer's driver. It feeds `body` with inputs, by the options in the arguments.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ body: @convention(c) (UnsafePointer<UInt8>, Int) -> CInt
) -> CInt

/// The package manager makes this the `main` of the target, in place of libFuzzer's.
@_cdecl("fuzz_readers_main")
public func main(
  _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  var count = count
  var arguments = arguments
  return runFuzzer(&count, &arguments) { testOneInput($0, $1) }
}
